/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to install to get what is missing, in the words of this distribution; and what else to do for a kernel that no
 * package of it has.
 */
#ifndef STAP_INSTALL_HINT_H
#define STAP_INSTALL_HINT_H

/*
 * Parts of a sentence, like "install them with `apt install linux-headers-6.1.0-57-amd64`"; g_free() them.  A server is advised
 * only while DEBUGINFOD_URLS is not set.
 */
char *hint_kernel_headers(const char *release);
char *hint_kernel_debuginfo(const char *release);
char *hint_user_debuginfo(const char *path);

#endif
