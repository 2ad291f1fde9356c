"""Structures of compiled code in Python: an object with their memory as its attribute ``_meminfo``."""

from typing import Any

from nashzoo.envs.jit.numba import NativeValue, box, cgutils, types, unbox

_MEMORY = types.MemInfoPointer(types.voidptr)


def define_boxing(kind: type[types.StructRef]) -> None:
    """Tells Numba how structures of a type pass between Python and compiled code: in by ``_meminfo``, out as it.

    Unlike with Numba's own function of this name, reading the attribute may fail, as by Ctrl-C while it compiles.
    """

    @box(kind)  # type: ignore[untyped-decorator]
    def boxed(kind: Any, value: Any, c: Any) -> Any:
        return c.box(_MEMORY, cgutils.create_struct_proxy(kind)(c.context, c.builder, value=value).meminfo)

    @unbox(kind)  # type: ignore[untyped-decorator]
    def unboxed(kind: Any, handle: Any, c: Any) -> NativeValue:
        memory = c.pyapi.object_getattr_string(handle, "_meminfo")
        structure = cgutils.create_struct_proxy(kind)(c.context, c.builder)
        failed = cgutils.is_null(c.builder, memory)
        with c.builder.if_then(c.builder.not_(failed), likely=True):
            structure.meminfo = c.unbox(_MEMORY, memory).value
            c.pyapi.decref(memory)
        return NativeValue(structure._getvalue(), is_error=failed)
