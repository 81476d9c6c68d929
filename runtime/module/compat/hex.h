/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Digits of hexadecimal numbers: in a header of their own on newer kernels. */
#ifndef STP_COMPAT_HEX_H
#define STP_COMPAT_HEX_H

#if __has_include(<linux/hex.h>)
#include <linux/hex.h>
#else
#include <linux/kernel.h>
#endif

#endif
