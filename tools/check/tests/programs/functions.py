"""Breaks a rule in functions of several kinds. For each it prints the functions as Python knows them."""

import asyncio
import ctypes
import threading
import traceback

cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)


def note():
    functions = reversed(traceback.extract_stack()[:-1])
    print(*(f'File "{of.filename}", line {of.lineno}, in {of.name}' for of in functions), sep="\t", flush=True)


def mistake(*_):
    note(), cuda.cuDestroyExternalMemory(None)


async def coroutine():
    await asyncio.sleep(0)
    mistake()


def recursive(depth):
    if depth == 0:
        mistake()
    else:
        recursive(depth - 1)


def far_away():
    # A function with many instructions, with lines without instructions, and with instructions whose lines decrease.
    code = "\n" * 700 + "def größe_数(f):\n" + " x = [y for y in (1, 2, 3)]\n" * 200 + "\n" * 300
    code += " for z in (\n   1,\n   2,\n ): (\n   z ==\n   2 and f()\n )\n"
    names = {}
    exec(compile(code, "/made up/naïve_日本_𝄞.py", "exec"), names)
    names["größe_数"](mistake)


mistake(
    1,
)
asyncio.run(coroutine())
recursive(30)
far_away()
max([1, 2], key=lambda of: of == 1 and mistake() or of)
[mistake() for _ in (1,)]
thread = threading.Thread(target=mistake)
thread.start()
thread.join()
print("reached the end")
