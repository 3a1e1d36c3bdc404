import type { Frame } from '../model/index.js';

/** Longer names are no symbol that a rule could name; they are compared as they are. */
const LONGEST_SYMBOL = 4096;

const SUFFIX = /(?:\.(?:llvm|constprop|isra|part|lto_priv)\.\d+|\.cold(?:\.\d+)?|@plt|@@?[A-Z][\w.]*)$/;

/**
 * Name that rules compare: native names lose what compilers and linkers append (`mj_solPrimal.llvm.118`,
 * `pthread_cond_timedwait@@GLIBC_2.3.2`, `mj_step@plt`) and their C++ parameters. Python names stay.
 */
export function comparableName(frame: Frame): string {
  if (frame.kind === 'python' || frame.kind === 'js' || frame.name.length > LONGEST_SYMBOL) return frame.name;
  let name = frame.name;
  for (;;) {
    const shorter = name.replace(SUFFIX, '');
    if (shorter === name || shorter === '') break;
    name = shorter;
  }
  return withoutParameters(name);
}

/** Parts of names that hold parentheses without being a parameter list. */
const NOT_PARAMETERS = ['(anonymous namespace)', 'operator()'];

function withoutParameters(name: string): string {
  let at = 0;
  for (;;) {
    const open = name.indexOf('(', at);
    if (open === -1) return name;
    const skipped = NOT_PARAMETERS.find((text) => name.startsWith(text, open - text.indexOf('(')));
    if (skipped === undefined) return open === 0 ? name : name.slice(0, open).trimEnd();
    at = open - skipped.indexOf('(') + skipped.length;
  }
}
