/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hex2bin() and its kin: 6.4 gave them a header of their own, which <linux/kernel.h> includes no more in 7.2. */
#ifndef STP_COMPAT_HEX_H
#define STP_COMPAT_HEX_H

#if __has_include(<linux/hex.h>)
#include <linux/hex.h>
#else
#include <linux/kernel.h>
#endif
#endif
