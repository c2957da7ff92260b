/* Drawing a figure with gnuplot. A script that contains the data is piped in, and the image is
 * piped out, without a shell and without file names. */
/* SPDX-License-Identifier: MIT */
#include "plot/gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/program_path.h"
#include "output/atomic_file.h"
#include "output/utf8.h"
#include "plot/gnuplot_heatmap.h"
#include "plot/gnuplot_sphere.h"

extern char **environ;

enum { FEW_DOTS = 400 }; /* fewer dots than this are drawn larger */

#define PAGE_SHAPE  1.6              /* width over height of every image */
#define PAGE_HEIGHT (1 / PAGE_SHAPE) /* in units of the width */

#define FRAMES                                                                                     \
    "set border 15 lc rgb '#888888' lw 0.8\nset tics textcolor rgb '#333333'\n"                    \
    "set grid lc rgb '#dddddd' lw 0.7 lt 1\n"

struct kind {
    const char *extension, *terminal;
    int font_size;
    const char *ending; /* found among the last bytes of a complete file */
    const char *image;  /* option that keeps the edges of cells sharp */
};

static const struct kind kinds[] = {
    {"png", "pngcairo size 1600,1000 linewidth 1.3", 13, "IEND", ""},
    {"svg", "svg size 1600,1000 dynamic linewidth 1.3", 17, "</svg>", "pixels"},
    {"pdf", "pdfcairo size 28.8cm,18cm linewidth 1", 9, "%%EOF", "pixels"},
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

/* Colour-blind safe palette (Okabe and Ito), without the yellow. */
static const char *const colours[FIGURE_CURVES] = {"0072b2", "d55e00", "009e73", "cc79a7",
                                                   "e69f00", "56b4e9", "000000", "999999"};

static const struct kind *find_kind(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (int i = 0; dot && i < NKINDS; i++)
        if (strcmp(kinds[i].extension, dot + 1) == 0) return &kinds[i];
    return NULL;
}

bool gnuplot_draws(const char *path) { return find_kind(path) != NULL; }

const char *gnuplot_kinds(void) { return ".png, .svg or .pdf"; }

/* Writes a text as a gnuplot string. All characters but letters and spaces are in octal, so that
 * none can end the string or be expanded, and no digit follows an octal number. */
static void write_quoted(FILE *script, const char *text) {
    fputc('"', script);
    for (const char *s = text; *s;) {
        const size_t length = utf8_length(s);
        const unsigned char byte = (unsigned char)*s;
        if (length > 1)
            fwrite(s, 1, length, script);
        else if (length == 0 || byte < 0x20 || byte == 0x7f)
            fputc('?', script);
        else if (isalpha(byte) || byte == ' ')
            fputc(byte, script);
        else
            fprintf(script, "\\%03o", byte);
        s += length ? length : 1;
    }
    fputc('"', script);
}

/* A centred line of text. `size` is its font over that of the figure; a line that is wider than
 * `width` of the page gets a smaller one. */
static void write_label(FILE *script, int number, const char *text, const double at[2],
                        double width, double size, const char *style) {
    static const double letter = 0.0062; /* mean width of a letter over that of the page */
    const double needed = letter * size * (double)strlen(text);
    fprintf(script, "set label %d ", number);
    write_quoted(script, text);
    fprintf(script,
            " at screen %.4f,%.4f center noenhanced font sprintf(',%%g',%.3f*font_size) %s\n",
            at[0], at[1], needed > width ? size * width / needed : size, style);
}

static void write_data(FILE *script, const struct figure *picture) {
    for (int p = 0; p < picture->npanels; p++)
        for (int c = 0; c < picture->panel[p].ncurves; c++) {
            const struct figure_curve *curve = &picture->panel[p].curve[c];
            fprintf(script, "$data%d_%d << END\n", p, c);
            for (size_t i = 0; i < curve->n; i++)
                if (isnan(curve->y[i]))
                    fputs(curve->low ? "NaN NaN NaN\n" : "NaN NaN\n", script);
                else if (curve->low)
                    fprintf(script, "%.16g %.16g %.16g\n", curve->x[i], curve->low[i], curve->y[i]);
                else
                    fprintf(script, "%.16g %.16g\n", curve->x[i], curve->y[i]);
            fputs("END\n", script);
        }
}

/* True if all curves have one label. A path on both sides of a sphere counts once. */
static bool has_one_label(const struct figure_panel *panel) {
    if (panel->has_log_axes) return false; /* a method is named even if it is alone */
    if (panel->hides_legend) return true;
    return panel->ncurves <= 1 || (panel->ncurves == 2 && panel->curve[1].continues);
}

static const char *colour_of(const struct figure_panel *panel, int c) {
    return colours[(panel->curve[c].style - panel->curve[c].continues) % FIGURE_CURVES];
}

/* When the colours are used up, dashes and other markers follow. */
static void write_marked(FILE *script, const struct figure_panel *panel, int c) {
    static const int marks[] = {7, 5, 9, 11};
    const int round = panel->curve[c].style / FIGURE_CURVES;
    fprintf(script, "linespoints dt %d pt %d ps 1.1 lw 1.5 lc rgb '#%s'", round + 1,
            marks[round % 4], colour_of(panel, c));
}

/* The legend of a curve. It shows a line even if the curve is drawn as dots. */
static void write_legend(FILE *script, const struct figure_panel *panel, int c) {
    if (has_one_label(panel) || panel->curve[c].continues) return;
    fputs(", NaN with ", script);
    if (panel->has_log_axes)
        write_marked(script, panel, c);
    else if (panel->curve[c].low)
        fprintf(script, "lines lw 8 lc rgb '#%02x%s'", panel->curve[c].see_through,
                colour_of(panel, c));
    else
        fprintf(script, "lines lw 2.5 lc rgb '#%s'", colour_of(panel, c));
    fputs(" title ", script);
    write_quoted(script, panel->curve[c].label);
}

static void write_curve(FILE *script, const struct figure_curve *curve, const char *colour) {
    if (curve->low)
        fprintf(script, "filledcurves fs solid 1.0 noborder lc rgb '#%02x%s'", curve->see_through,
                colour);
    else if (curve->is_behind)
        fprintf(script, "lines lw 0.7 lc rgb '#b0%s'", colour);
    else if (curve->as_dots)
        fprintf(script, "points pt 7 ps %g lc rgb '#%s'", curve->n < FEW_DOTS ? 0.7 : 0.25, colour);
    else if (curve->is_dense)
        fprintf(script, "lines lw 0.5 lc rgb '#40%s'", colour); /* first byte: transparency */
    else
        fprintf(script, "lines lw 1.2 lc rgb '#%s'", colour);
}

static void write_curves(FILE *script, const struct figure_panel *panel, int p) {
    fputs("plot", script);
    if (panel->image.value) gnuplot_heatmap_write(script, p, panel->ncurves > 0);
    if (panel->is_sphere)
        fputs(" $sphere using 1:2 title '' with lines lw 0.7 lc rgb '#cccccc',", script);
    for (int c = 0; c < panel->ncurves; c++) {
        fprintf(script, "%s $data%d_%d using %s title '' with ", c ? "," : "", p, c,
                panel->curve[c].low ? "1:2:3" : "1:2");
        if (panel->has_log_axes)
            write_marked(script, panel, c);
        else
            write_curve(script, &panel->curve[c], colour_of(panel, c));
        write_legend(script, panel, c);
    }
    for (int c = 0; panel->marks_end && c < panel->ncurves; c++)
        fprintf(script,
                ", $data%d_%d using 1:2 every ::%zu with points pt %d ps 1.1 lc rgb '#%s' title ''",
                p, c, panel->curve[c].n - 1, panel->curve[c].is_behind ? 6 : 7,
                colour_of(panel, c));
    fputc('\n', script);
}

static void write_words(FILE *script, const char *what, const char *text) {
    fprintf(script, "set %s ", what);
    write_quoted(script, text);
    fputs(" noenhanced\n", script);
}

/* The frame of a panel, in fractions of the page. */
struct frame {
    double left, right, low, high;
};

/* Bounding box of the curves of a panel: left, right, low, high. */
static void find_box(const struct figure_panel *panel, double box[4]) {
    box[0] = box[2] = INFINITY;
    box[1] = box[3] = -INFINITY;
    if (panel->is_sphere) box[0] = box[2] = -(box[1] = box[3] = 1.08);
    for (int c = 0; c < panel->ncurves; c++)
        for (size_t i = 0; i < panel->curve[c].n; i++) {
            const double x = panel->curve[c].x[i], y = panel->curve[c].y[i];
            if (isnan(x) || isnan(y)) continue;
            if (panel->curve[c].low) box[2] = fmin(box[2], panel->curve[c].low[i]);
            box[0] = fmin(box[0], x), box[1] = fmax(box[1], x);
            box[2] = fmin(box[2], y), box[3] = fmax(box[3], y);
        }
}

/* Limits the number of ticks so that labels of a narrow frame do not overlap. */
static void write_ticks(FILE *script, const struct figure_panel *panel, const struct frame *frame) {
    static const double narrow = 0.3;
    double box[4];
    find_box(panel, box);
    const double step = (box[1] - box[0]) / 4;
    fputs("set xtics autofreq\n", script);
    if (!panel->is_path || panel->has_log_axes || frame->right - frame->left > narrow) return;
    if (!(step > 0 && step < INFINITY)) return;
    const double power = pow(10, floor(log10(step))), part = step / power;
    fprintf(script, "set xtics %.9g\n",
            power * (part <= 1   ? 1
                     : part <= 2 ? 2
                     : part <= 5 ? 5
                                 : 10));
}

/* Ranges with one scale for both axes, such that the data fill the frame without touching it. */
static void write_equal_ranges(FILE *script, const struct figure_panel *panel,
                               const struct frame *frame) {
    double box[4];
    find_box(panel, box);
    const double wide = PAGE_SHAPE * (frame->right - frame->left), tall = frame->high - frame->low;
    const double scale = fmax((box[1] - box[0]) / wide, (box[3] - box[2]) / tall);
    const double half = 0.54 * (scale > 0 ? scale : fmax(fabs(box[0]), 1));
    const double x = (box[0] + box[1]) / 2, y = (box[2] + box[3]) / 2;
    fprintf(script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x - half * wide,
            x + half * wide, y - half * tall, y + half * tall);
}

/* A time axis is filled completely; a path keeps a margin. */
static void write_ranges(FILE *script, const struct figure_panel *panel,
                         const struct frame *frame) {
    const char *side = panel->is_path ? "graph 0.04" : "0";
    fputs("set offsets 0,0,0,0\nunset logscale\nset format x '%h'\nset format y '%h'\n"
          "set xrange [*:*] noextend\nset yrange [*:*] noextend\n",
          script);
    if (panel->has_equal_axes)
        write_equal_ranges(script, panel, frame);
    else if (panel->has_log_axes)
        fputs("set logscale xy\nset format xy '%.0e'\nset xrange [*:*] extend\nset yrange [*:*] "
              "extend\n",
              script);
    else if (!panel->has_log_y)
        fprintf(script, "set offsets %s,%s,graph 0.04,graph 0.04\n", side, side);
    if (panel->has_log_axes) return;
    if (panel->has_log_y)
        fprintf(script, "set logscale y\nset format y '%%.0e'\nset yrange [%.6g:*]\n",
                panel->y_floor);
    if (panel->has_log_x) fputs("set logscale x\nset format x '%.0e'\n", script);
}

/* Width of the longest legend entry, in fractions of the page. */
static double legend_width(const struct figure_panel *panel) {
    size_t longest = 0;
    for (int c = 0; c < panel->ncurves; c++) {
        const size_t length = strlen(panel->curve[c].label);
        if (length > longest) longest = length;
    }
    return 0.0072 * ((double)longest + 5);
}

/* Number of legend entries per row in a frame of the given width. */
static int legend_columns(const struct figure_panel *panel, double width) {
    const int columns = (int)(width / legend_width(panel));
    return columns < 1 ? 1 : columns > panel->ncurves ? panel->ncurves : columns;
}

/* Fraction of the page that a legend beside all panels takes. */
static double legend_part(const struct figure *picture) {
    return picture->has_one_legend ? fmin(legend_width(&picture->panel[0]), 0.4) : 0;
}

/* Position of the legend: above the frame, or beside all panels. */
static void write_key(FILE *script, const struct figure *picture, int p, double middle, double high,
                      int columns) {
    const char *style = "noenhanced samplen 1.5 spacing 1 Left reverse";
    if (!picture->has_one_legend)
        fprintf(script, "set key at screen %.4f,%.4f center top horizontal maxcols %d %s\n", middle,
                high - 0.033, columns, style);
    else if (p == 0)
        fprintf(script, "set key at screen %.4f,%.4f left top vertical maxcols 1 %s\n",
                1 - legend_part(picture), high - 0.033, style);
    else
        fputs("unset key\n", script);
}

/* One panel in its cell of a grid below `top`. All frames are aligned. */
static void write_panel(FILE *script, const struct figure *picture, int p, double top) {
    const struct figure_panel *panel = &picture->panel[p];
    const int rows = picture->npanels > 2 ? 2 : 1;
    const int cols = (picture->npanels + rows - 1) / rows;
    const double width = (1 - legend_part(picture)) / cols;
    const double left = p % cols * width, high = top * (1 - (double)(p / cols) / rows);
    struct frame frame = {left + 0.077, left + width - 0.015, high - top / rows + 0.075, high};
    const double middle = (frame.left + frame.right) / 2;
    const int columns = legend_columns(panel, frame.right - frame.left);
    const bool has_legend = !has_one_label(panel) && !picture->has_one_legend;
    const int lines = has_legend ? (panel->ncurves + columns - 1) / columns : 0;
    frame.high -= 0.042 + 0.021 * lines;
    if (panel->is_sphere) frame.low -= 0.045;     /* there are no labels below */
    if (panel->image.value) frame.right -= 0.055; /* room for the colour scale */
    fprintf(script,
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
            "set bmargin at screen %.4f\nset tmargin at screen %.4f\n",
            frame.left, frame.right, frame.low, frame.high);
    write_key(script, picture, p, middle, high, columns);
    write_label(script, 4, panel->title, (double[]){middle, high - 0.02},
                2 * fmin(middle - left, left + width - middle), 1.1, "");
    write_words(script, "xlabel", panel->x_label);
    write_label(script, 5, panel->y_label, (double[]){left + 0.01, (frame.low + frame.high) / 2},
                PAGE_HEIGHT * (frame.high - frame.low), 1, "rotate");
    write_ranges(script, panel, &frame);
    write_ticks(script, panel, &frame);
    if (panel->image.value)
        gnuplot_heatmap_frame(script, &panel->image, frame.right, frame.low, frame.high);
    if (panel->is_sphere) {
        gnuplot_sphere_axes(script);
        fputs("unset border\nunset tics\nunset grid\n", script);
    }
    write_curves(script, panel, p);
    fputs("unset label\nunset arrow\n" FRAMES, script);
}

static void write_script(FILE *script, const struct figure *picture, const struct kind *kind) {
    double top = 0.995;
    write_data(script, picture);
    for (int p = 0; p < picture->npanels; p++)
        gnuplot_heatmap_data(script, p, &picture->panel[p].image);
    gnuplot_sphere_data(script);
    fprintf(script,
            "set encoding utf8\n"
            "set terminal %s font 'DejaVu Sans,%d' background '#ffffff' noenhanced\n" FRAMES
            "font_size = %d\ncells = '%s'\nset multiplot\n",
            kind->terminal, kind->font_size, kind->font_size, kind->image);
    write_label(script, 1, picture->title, (double[]){0.5, top -= 0.03}, 1, 1.4, "");
    if (picture->subtitle[0])
        write_label(script, 2, picture->subtitle, (double[]){0.5, top -= 0.033}, 1, 1,
                    "tc rgb '#555555'");
    if (picture->warning[0])
        write_label(script, 3, picture->warning, (double[]){0.5, top -= 0.027}, 1, 1,
                    "tc rgb '#b00020'");
    for (int p = 0; p < picture->npanels; p++) write_panel(script, picture, p, top - 0.025);
    fputs("unset multiplot\n", script);
}

/* The script, the error messages of gnuplot, and the image. */
struct session {
    FILE *script, *words, *drawn;
};

/* Runs gnuplot. Returns an errno, or 0 and the exit status. */
static int run(const struct session *session, int *exit_status) {
    char path[PATH_MAX];
    char *const arguments[] = {path, (char[]){"-d"}, (char[]){"-"}, NULL};
    if (!program_path_find("gnuplot", sizeof path, path)) return ENOENT;
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    posix_spawn_file_actions_adddup2(&actions, fileno(session->script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(session->drawn), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(session->words), STDERR_FILENO);
    pid_t child;
    code = posix_spawn(&child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code) return code;
    while (waitpid(child, exit_status, 0) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

static enum noe_status judge(int code, int exit_status, FILE *words, struct noe_error *error) {
    if (code == ENOENT)
        return status_set(error, NOE_NO_LIBRARY,
                          "pictures need gnuplot, which is not here; on Debian: "
                          "apt install gnuplot-nox");
    if (code) return status_set(error, NOE_IO, "gnuplot cannot be started: %s", strerror(code));
    if (WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == 0) return NOE_OK;
    char text[300] = "";
    rewind(words);
    const size_t length = fread(text, 1, sizeof text - 1, words);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n') text[i] = ' ';
    return status_set(error, NOE_IO, "gnuplot failed: %s", text);
}

static bool session_open(struct session *session) {
    session->script = tmpfile();
    session->words = tmpfile();
    session->drawn = tmpfile();
    return session->script && session->words && session->drawn;
}

static void session_close(struct session *session) {
    if (session->script) fclose(session->script);
    if (session->words) fclose(session->words);
    if (session->drawn) fclose(session->drawn);
}

/* gnuplot does not report a full disk, so a file without its proper end is rejected. */
static bool is_whole(FILE *drawn, const char *ending) {
    char tail[24];
    if (fseek(drawn, -(long)sizeof tail, SEEK_END) != 0) return false;
    const size_t size = fread(tail, 1, sizeof tail, drawn), length = strlen(ending);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(tail + i, ending, length) == 0) return true;
    return false;
}

static enum noe_status draw(struct session *session, const struct figure *picture,
                            const struct kind *kind, struct noe_error *error) {
    const bool is_open = session_open(session);
    if (is_open) write_script(session->script, picture, kind);
    if (!is_open || fflush(session->script) != 0 || ferror(session->script))
        return status_set(error, NOE_IO, "no temporary file can be written: %s", strerror(errno));
    rewind(session->script);
    int exit_status = 0;
    const int code = run(session, &exit_status);
    const enum noe_status status = judge(code, exit_status, session->words, error);
    if (status != NOE_OK || is_whole(session->drawn, kind->ending)) return status;
    return status_set(error, NOE_IO, "gnuplot could not write the whole picture");
}

static enum noe_status copy(struct atomic_file *place, FILE *drawn, struct noe_error *error) {
    char block[1 << 16];
    enum noe_status status = NOE_OK;
    rewind(drawn);
    for (size_t size; status == NOE_OK && (size = fread(block, 1, sizeof block, drawn)) > 0;)
        status = atomic_file_write(place, block, size, error);
    if (status == NOE_OK && ferror(drawn))
        status = status_set(error, NOE_IO, "the picture cannot be read back");
    return status;
}

enum noe_status gnuplot_draw(const struct figure *picture, const char *path,
                             struct noe_error *error) {
    const struct kind *kind = find_kind(path);
    if (!kind)
        return status_set(error, NOE_BAD_INPUT, "the name of a picture ends in %s, not '%s'",
                          gnuplot_kinds(), path);
    struct atomic_file *place;
    enum noe_status status =
        atomic_file_open(&place, path, error); /* first, to catch a wrong path */
    if (status != NOE_OK) return status;
    struct session session;
    status = draw(&session, picture, kind, error);
    if (status == NOE_OK) status = copy(place, session.drawn, error);
    session_close(&session);
    if (status == NOE_OK) return atomic_file_commit(place, error);
    atomic_file_discard(place);
    return status;
}
