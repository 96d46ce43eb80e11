"""Makes a system call the way 32-bit programs do, whose numbers are others: `getpid`, by machine code of its own."""

import ctypes
import mmap

from filler import play, start
from wire import only_in_a_cell, report

only_in_a_cell()
start()
code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20; int 0x80; ret
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
report("result", call())
play()
