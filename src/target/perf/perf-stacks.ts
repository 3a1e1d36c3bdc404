/** Functions that a whole stack of a thread ends in, by the libraries of Linux. */
const OUTERMOST =
  /^(?:_start|_init|__libc_start_main\S*|__libc_start_call_main|start_thread|clone3?|__clone3?|thread_start|__start_thread|ret_from_fork\S*)$/;

/** How many stacks of `perf script -F ip,sym` there are, and how many of them reach the start of their thread. */
export function wholeStacks(text: string): { readonly stacks: number; readonly whole: number } {
  let stacks = 0;
  let whole = 0;
  let last: string | undefined;
  const end = (): void => {
    if (last === undefined) return;
    stacks += 1;
    if (OUTERMOST.test(last)) whole += 1;
    last = undefined;
  };
  for (const line of text.split('\n')) {
    const frame = /^\s+[0-9a-f]+ (.*)$/.exec(line)?.[1];
    if (frame === undefined) end();
    else last = frame.trim().replace(/@.*$/, '');
  }
  end();
  return { stacks, whole };
}
