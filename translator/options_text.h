/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of --help and --version. */
#ifndef STAP_OPTIONS_TEXT_H
#define STAP_OPTIONS_TEXT_H

extern const char options_help[];
extern const char options_version[];

/* The language that scripts are written in: systemtap_v, and what --version answers. */
#define STAP_LANGUAGE_VERSION "5.6"

#endif
