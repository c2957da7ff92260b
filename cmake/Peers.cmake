# Other packages that the benchmarks compare with, each taken where it is found.
# SPDX-License-Identifier: MIT
set(peer_sources)
set(peer_definitions)
set(peer_includes)
set(peer_libraries)
