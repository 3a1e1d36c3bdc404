/* Prints how a CPython keeps the attributes of an object, as layout.c does: by them a thread's name is found. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_dict.h"
#endif

#if PY_VERSION_HEX < 0x03080000 || PY_VERSION_HEX >= 0x030e0000
#error "not looked at: from 3.14 on threads tell the kernel their names"
#endif
#if defined(Py_DEBUG) || defined(Py_GIL_DISABLED)
#error "these are the headers of another build"
#endif

static const char *between = "";
static void open_group(const char *name) { printf("%s\n \"%s\": {", between, name), between = ""; }
static void close_group(void) { printf("}"), between = ","; }
static void number(const char *name, long value) { printf("%s\"%s\": %ld", between, name, value), between = ", "; }
#define AT(name, type, field) number(name, offsetof(type, field))

int main(void) {
  printf("{");
  open_group("type");
  AT("flags", PyTypeObject, tp_flags);
  AT("dictOffset", PyTypeObject, tp_dictoffset);
  AT("sharedKeys", PyHeapTypeObject, ht_cached_keys);
  close_group();

  open_group("dict");
  AT("keys", PyDictObject, ma_keys);
  AT("values", PyDictObject, ma_values);
  close_group();

  open_group("keys");
#if PY_VERSION_HEX >= 0x030b0000
  AT("log2IndexBytes", struct _dictkeysobject, dk_log2_index_bytes);
  AT("kind", struct _dictkeysobject, dk_kind);
  AT("count", struct _dictkeysobject, dk_nentries);
  AT("indices", struct _dictkeysobject, dk_indices);
#else
  /* Objects/dict-common.h, which is not installed: references, size, lookup function, usable, entries, indices. */
  number("size", 8);
  number("count", 32);
  number("indices", 40);
#endif
  close_group();

  open_group("values");
#if PY_VERSION_HEX >= 0x030d0000
  AT("valid", PyDictValues, valid);
#endif
#if PY_VERSION_HEX >= 0x030b0000
  AT("first", PyDictValues, values);
#else
  number("first", 0);
#endif
  close_group();

#if PY_VERSION_HEX >= 0x030b0000
  /* Include/internal/pycore_object.h: before the object, and in 3.13 behind its head. */
  open_group("managed");
  number("dict", -3 * (long)sizeof(PyObject *));
#if PY_VERSION_HEX < 0x030c0000
  number("values", -4 * (long)sizeof(PyObject *));
#elif PY_VERSION_HEX >= 0x030d0000
  number("inlineValues", sizeof(PyObject));
#endif
  close_group();
#endif
  printf("\n}\n");
  return 0;
}
