/* Prints where a CPython keeps what leads to the names of its threads and tasks, as JSON: dicts, attributes of
 * instances, numbers, frames of coroutines.
 * Compiled against the headers of one version by layouts.mjs; nothing of it runs in the interpreter. */
#define Py_BUILD_CORE 1
#define NDEBUG 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>
#include "internal/pycore_pystate.h"
#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_dict.h"
#include "internal/pycore_object.h"
#endif

#if PY_VERSION_HEX < 0x03080000 || PY_VERSION_HEX >= 0x030e0000
#error "only 3.8 to 3.13 are known"
#endif
#if defined(Py_DEBUG) || defined(Py_GIL_DISABLED)
#error "these are the headers of a debug build, or of one without a GIL"
#endif

#if PY_VERSION_HEX < 0x030b0000
/* Objects/dict-common.h, which is not installed. */
struct _dictkeysobject {
  Py_ssize_t dk_refcnt;
  Py_ssize_t dk_size;
  void *dk_lookup;
  Py_ssize_t dk_usable;
  Py_ssize_t dk_nentries;
  char dk_indices[];
};
#endif

static const char *between = "";
static void open_group(const char *name) { printf("%s\n \"%s\": {", between, name), between = ""; }
static void close_group(void) { printf("}"), between = ","; }
static void number(const char *name, size_t value) { printf("%s\"%s\": %zu", between, name, value), between = ", "; }
#define AT(name, type, field) number(name, offsetof(type, field))

int main(void) {
  printf("{");
  open_group("interpreter");
#if PY_VERSION_HEX < 0x030c0000
  AT("modules", PyInterpreterState, modules);
#else
  AT("modules", PyInterpreterState, imports.modules);
#endif
  close_group();

  /* The dict follows the head in every version; the structure is private before 3.10. */
  open_group("module");
  number("dict", sizeof(PyObject));
  close_group();

  open_group("type");
  AT("basicSize", PyTypeObject, tp_basicsize);
  AT("flags", PyTypeObject, tp_flags);
  AT("dictOffset", PyTypeObject, tp_dictoffset);
  AT("base", PyTypeObject, tp_base);
  AT("sharedKeys", PyHeapTypeObject, ht_cached_keys);
  close_group();

  open_group("dict");
  AT("keys", PyDictObject, ma_keys);
  AT("values", PyDictObject, ma_values);
  close_group();

  open_group("keys");
#if PY_VERSION_HEX < 0x030b0000
  AT("size", struct _dictkeysobject, dk_size);
#else
  AT("logIndexBytes", struct _dictkeysobject, dk_log2_index_bytes);
  AT("kind", struct _dictkeysobject, dk_kind);
#endif
  AT("count", struct _dictkeysobject, dk_nentries);
  AT("indices", struct _dictkeysobject, dk_indices);
  close_group();

  open_group("instance");
#if PY_VERSION_HEX >= 0x030b0000
  static PyTypeObject type;
  static struct {
    void *before[8];
    PyObject object;
  } place;
  place.object.ob_type = &type;
  char *object = (char *)&place.object;
#if PY_VERSION_HEX < 0x030c0000
  number("dictBefore", object - (char *)_PyObject_ManagedDictPointer(&place.object));
  number("valuesBefore", object - (char *)_PyObject_ValuesPointer(&place.object));
#elif PY_VERSION_HEX < 0x030d0000
  number("dictBefore", object - (char *)_PyObject_DictOrValuesPointer(&place.object));
#else
  number("dictBefore", object - (char *)_PyObject_ManagedDictPointer(&place.object));
  AT("valid", struct _dictvalues, valid);
#endif
  AT("firstValue", struct _dictvalues, values);
#else
  number("firstValue", 0);
#endif
  close_group();

  open_group("integer");
#if PY_VERSION_HEX < 0x030c0000
  AT("size", PyVarObject, ob_size);
  AT("digits", PyLongObject, ob_digit);
#else
  AT("tag", PyLongObject, long_value.lv_tag);
  AT("digits", PyLongObject, long_value.ob_digit);
#endif
  close_group();

  open_group("generator");
#if PY_VERSION_HEX < 0x030b0000
  AT("frame", PyGenObject, gi_frame);
#else
  AT("ownFrame", PyGenObject, gi_iframe);
#endif
  close_group();
  printf("\n}\n");
  return 0;
}
