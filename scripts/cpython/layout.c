/* Prints where a CPython keeps what a sampler reads, as JSON: one object for each structure, offsets and sizes in bytes.
 * Compiled against the headers of one version by layouts.mjs; nothing of it runs in the interpreter. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#include "internal/pycore_gil.h"
#include "internal/pycore_pystate.h"
#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_frame.h"
#endif

#if PY_VERSION_HEX < 0x03080000 || PY_VERSION_HEX >= 0x030d0000
#error "3.13 and newer carry a table of their own; older than 3.8 is not read"
#endif
#ifdef Py_DEBUG
#error "these are the headers of a debug build"
#endif

static const char *between = "";
static void open_group(const char *name) { printf("%s\n \"%s\": {", between, name), between = ""; }
static void close_group(void) { printf("}"), between = ","; }
static void number(const char *name, size_t value) { printf("%s\"%s\": %zu", between, name, value), between = ", "; }
#define AT(name, type, field) number(name, offsetof(type, field))

int main(void) {
  printf("{");
  open_group("runtime");
  number("size", sizeof(_PyRuntimeState));
  AT("interpretersHead", _PyRuntimeState, interpreters.head);
  AT("interpretersMain", _PyRuntimeState, interpreters.main);
#if PY_VERSION_HEX < 0x030c0000
  AT("gil", _PyRuntimeState, ceval.gil);
#endif
  close_group();

  open_group("interpreter");
  AT("next", PyInterpreterState, next);
#if PY_VERSION_HEX < 0x030b0000
  AT("threadsHead", PyInterpreterState, tstate_head);
#else
  AT("threadsHead", PyInterpreterState, threads.head);
#endif
#if PY_VERSION_HEX >= 0x030c0000
  AT("gilPointer", PyInterpreterState, ceval.gil);
#endif
  close_group();

  open_group("gil");
  number("size", sizeof(struct _gil_runtime_state));
  AT("holder", struct _gil_runtime_state, last_holder);
  AT("locked", struct _gil_runtime_state, locked);
  close_group();

  open_group("thread");
  AT("next", PyThreadState, next);
  AT("interpreter", PyThreadState, interp);
  AT("pthread", PyThreadState, thread_id);
#if PY_VERSION_HEX < 0x030b0000
  AT("frame", PyThreadState, frame);
#else
  AT("cframe", PyThreadState, cframe);
  AT("nativeId", PyThreadState, native_thread_id);
  AT("chunk", PyThreadState, datastack_chunk);
  AT("chunkTop", PyThreadState, datastack_top);
#endif
  close_group();

  open_group("frame");
#if PY_VERSION_HEX < 0x030b0000
  AT("previous", PyFrameObject, f_back);
  AT("code", PyFrameObject, f_code);
  AT("lastInstruction", PyFrameObject, f_lasti);
  AT("locals", PyFrameObject, f_localsplus);
#if PY_VERSION_HEX < 0x030a0000
  AT("executing", PyFrameObject, f_executing);
#else
  AT("state", PyFrameObject, f_state);
#endif
#else
  AT("previous", _PyInterpreterFrame, previous);
  AT("code", _PyInterpreterFrame, f_code);
  AT("instruction", _PyInterpreterFrame, prev_instr);
  AT("owner", _PyInterpreterFrame, owner);
  AT("locals", _PyInterpreterFrame, localsplus);
#endif
  close_group();

#if PY_VERSION_HEX >= 0x030b0000
  open_group("cframe");
  AT("frame", _PyCFrame, current_frame);
  close_group();

  open_group("chunk");
  AT("previous", _PyStackChunk, previous);
  AT("size", _PyStackChunk, size);
  AT("top", _PyStackChunk, top);
  AT("data", _PyStackChunk, data);
  close_group();
#endif

  open_group("code");
  number("size", sizeof(PyCodeObject));
  AT("file", PyCodeObject, co_filename);
  AT("name", PyCodeObject, co_name);
  AT("firstLine", PyCodeObject, co_firstlineno);
#if PY_VERSION_HEX < 0x030a0000
  AT("lineTable", PyCodeObject, co_lnotab);
#else
  AT("lineTable", PyCodeObject, co_linetable);
#endif
#if PY_VERSION_HEX < 0x030b0000
  AT("instructionsObject", PyCodeObject, co_code);
#else
  AT("qualifiedName", PyCodeObject, co_qualname);
  AT("instructions", PyCodeObject, co_code_adaptive);
#endif
  close_group();

  open_group("object");
  AT("type", PyObject, ob_type);
  AT("length", PyVarObject, ob_size);
  AT("typeName", PyTypeObject, tp_name);
  close_group();

  open_group("bytes");
  AT("data", PyBytesObject, ob_sval);
  close_group();

  open_group("text");
  AT("length", PyASCIIObject, length);
  AT("hash", PyASCIIObject, hash);
  AT("state", PyASCIIObject, state);
  number("ascii", sizeof(PyASCIIObject));
  number("compact", sizeof(PyCompactUnicodeObject));
  close_group();
  printf("\n}\n");
  return 0;
}
