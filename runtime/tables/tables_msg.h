/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the loader and stap-tables: messages on a SOCK_SEQPACKET socket, each way one a file. */
#ifndef STAP_TABLES_MSG_H
#define STAP_TABLES_MSG_H

#include <stdint.h>

struct tables_request {           /* with a descriptor of the file (SCM_RIGHTS) */
	uint32_t id;              /* comes back in the reply */
	uint32_t what;            /* STP_TABLE_FUNC ... */
};
struct tables_reply {             /* with a descriptor of memory that holds the table, when size is not 0 */
	uint32_t id;
	uint32_t size;            /* bytes; 0: none, see error */
	uint32_t too_large;       /* 1: that is since it would have more than STP_UTAB_BYTES */
	char error[120];
};

#endif
