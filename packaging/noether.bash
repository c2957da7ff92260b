# Bash completion for noether: subcommands and options come from the command's own help.
# SPDX-License-Identifier: MIT
_noether() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[0]} subcommand=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        local names
        names=$("$command" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$names --help --version" -- "$word")
        return
    fi
    case $previous in
    --precision)
        mapfile -t COMPREPLY < <(compgen -W "double quad" -- "$word")
        return
        ;;
    --method | --methods)
        local methods
        if [[ $subcommand == optimise ]]; then
            methods=$("$command" optimise --help 2>/dev/null |
                sed -n '/^methods$/,$ s/^\([a-z-]\{1,\}\)  *[a-z].*/\1/p')
        else
            methods=$("$command" methods --json 2>/dev/null |
                grep -o '"name": *"[^"]*"' | sed 's/.*"\([^"]*\)"$/\1/')
        fi
        mapfile -t COMPREPLY < <(compgen -W "$methods" -- "$word")
        return
        ;;
    esac
    if [[ $word == -* ]]; then
        local options
        options=$("$command" "$subcommand" --help 2>/dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        return
    fi
    if [[ $subcommand == reproduce ]]; then
        local experiments
        experiments=$("$command" reproduce --list 2>/dev/null | sed -n 's/^\([a-z][^ ]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$experiments all" -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _noether noether
