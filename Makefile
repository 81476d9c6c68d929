# SPDX-License-Identifier: GPL-2.0-or-later
# Works without ./configure; config.mak.autogen (written by it) and config.mak (yours) override.
VERSION = 0.1
prefix = /usr/local
bindir = $(prefix)/bin
libexecdir = $(prefix)/libexec
datadir = $(prefix)/share
mandir = $(datadir)/man
docdir = $(datadir)/doc/stap

CC = gcc
CFLAGS = -O2 -g
WARN = -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes -DGLIB_VERSION_MIN_REQUIRED=GLIB_VERSION_2_56
PKG_CONFIG = pkg-config

-include config.mak.autogen
-include config.mak

all: stap staprun stap-tables stap-vm build/vm-guest

V ?= 0
Q_0 = @
Q = $(Q_$(V))
say_0 = @printf '  %-5s %s\n'
say = $(say_$(V))

PKGS = glib-2.0 libdw libelf libbpf
PKG_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS = $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null)

TRANSLATOR_SRC = $(wildcard translator/*.c translator/debuginfo/*.c)
TRANSLATOR_OBJ = $(TRANSLATOR_SRC:%.c=build/%.o)
STAPRUN_SRC = $(wildcard runtime/staprun/*.c)
STAPRUN_OBJ = $(STAPRUN_SRC:%.c=build/%.o)
TABLES_SRC = $(wildcard runtime/tables/*.c)
TABLES_OBJ = $(TABLES_SRC:%.c=build/%.o) build/translator/debuginfo/plt_stubs.o
VM_HOST_OBJ = $(patsubst %.c,build/%.o,$(wildcard runtime/vm/vm_*.c))
VM_GUEST_SRC = $(wildcard runtime/vm/guest_*.c)

TRANSLATOR_CPPFLAGS = -Itranslator -Iruntime/abi $(PKG_CFLAGS) -DSTAP_VERSION='"$(VERSION)"' \
	-DSTAP_DATADIR='"$(datadir)/stap"' -DSTAP_BINDIR='"$(bindir)"'

# What objects depend on besides their sources: flags and paths.  Rewritten only when they change.
FLAGS_NOW = $(CC) $(CFLAGS) $(TRANSLATOR_CPPFLAGS) $(VERSION) $(LDFLAGS)
build/flags: FORCE
	@mkdir -p build
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@
FORCE:

build/translator/%.o: translator/%.c build/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARN) $(TRANSLATOR_CPPFLAGS) -MMD -MP -c -o $@ $<

build/runtime/%.o: runtime/%.c build/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARN) -Iruntime/abi -Iruntime/staprun -Iruntime/vm -Iruntime/tables -iquote translator/debuginfo -DSTAP_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<

stap: $(TRANSLATOR_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(PKG_LIBS) -l:libiberty.a $(LDFLAGS)

staprun: $(STAPRUN_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS)

stap-tables: $(TABLES_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -ldw -lelf -l:libiberty.a $(LDFLAGS)

stap-vm: $(VM_HOST_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS)

build/vm-guest: $(VM_GUEST_SRC) runtime/vm/vm_frame.c $(wildcard runtime/vm/*.h)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 $(WARN) -Iruntime/vm -static -o $@ $(VM_GUEST_SRC)

clean:
	rm -rf build stap staprun stap-tables stap-vm

configure: configure.ac
	autoconf

INSTALL = install
D = $(DESTDIR)
install: all
	$(INSTALL) -d $(D)$(bindir) $(D)$(datadir)/stap/tapset $(D)$(datadir)/stap/runtime/abi \
		$(D)$(datadir)/stap/runtime/module/compat $(D)$(datadir)/stap/examples $(D)$(mandir)/man1 $(D)$(mandir)/man8
	$(INSTALL) stap staprun stap-tables stap-vm $(D)$(bindir)
	$(INSTALL) build/vm-guest $(D)$(datadir)/stap/vm-guest
	$(INSTALL) -m 644 tapsets/*.stp tapsets/*.stpm $(D)$(datadir)/stap/tapset
	$(INSTALL) -m 644 runtime/abi/*.h $(D)$(datadir)/stap/runtime/abi
	$(INSTALL) -m 644 runtime/module/*.[ch] $(D)$(datadir)/stap/runtime/module
	$(INSTALL) -m 644 runtime/module/compat/* $(D)$(datadir)/stap/runtime/module/compat
	$(INSTALL) examples/*.stp $(D)$(datadir)/stap/examples
	$(INSTALL) -d $(D)$(docdir)/language
	$(INSTALL) -m 644 README.md COPYING doc/*.md $(D)$(docdir)
	$(INSTALL) -m 644 doc/language/*.md $(D)$(docdir)/language
	$(INSTALL) -m 644 doc/*.1 $(D)$(mandir)/man1
	$(INSTALL) -m 644 doc/*.8 $(D)$(mandir)/man8

bench: all
	testsuite/bench/run.sh $(KERNEL)

.PHONY: FORCE all clean install check try setup bench
-include testsuite/check.mk
-include $(TRANSLATOR_OBJ:.o=.d) $(STAPRUN_OBJ:.o=.d) $(TABLES_OBJ:.o=.d) $(VM_HOST_OBJ:.o=.d)
