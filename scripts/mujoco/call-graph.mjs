// The direct call graph of a shared library that still has its symbols, as binutils read it.
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/** What compilers and linkers append to a name, so that all copies of a function are one. */
const SUFFIX = /(?:\.(?:llvm|constprop|isra|part|lto_priv)\.\d+|\.cold(?:\.\d+)?|@plt|@@?[A-Za-z][\w.]*)$/;

export function bareName(symbol) {
  let name = symbol;
  for (;;) {
    const shorter = name.replace(SUFFIX, '');
    if (shorter === name || shorter === '') return name;
    name = shorter;
  }
}

function lines(program, args) {
  const ran = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
  if (ran.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${ran.error ?? ran.stderr}`);
  return ran.stdout.split('\n');
}

/** `exported` and `local` functions by bare name, and for each the functions that it calls, jumps to or takes the address of. */
export async function callGraph(library) {
  const exported = new Set();
  const local = new Set();
  const functionAt = new Map();
  const data = [];
  for (const line of lines('nm', ['-S', '--defined-only', library])) {
    const [address, size, type, symbol] = line.split(' ');
    if (symbol === undefined) continue;
    if (type === 'T' || type === 't' || type === 'W' || type === 'w') {
      functionAt.set(BigInt(`0x${address}`), bareName(symbol));
      (type === 'T' ? exported : local).add(bareName(symbol));
    } else data.push({ start: BigInt(`0x${address}`), size: BigInt(`0x${size}`) });
  }
  data.sort((a, b) => (a.start < b.start ? -1 : 1));
  const slots = pointersIn(library);
  const calls = new Map();
  let from;
  const disassembly = spawn('objdump', ['-d', '--no-show-raw-insn', library], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: disassembly.stdout })) {
    const head = /^[0-9a-f]+ <([^>]+)>:$/.exec(line);
    if (head !== null) {
      from = calls.get(bareName(head[1])) ?? new Set();
      calls.set(bareName(head[1]), from);
      continue;
    }
    const jump = /\t(?:call|jmp|j[a-z]+) +[0-9a-f]+ <([^>+]+)/.exec(line);
    if (jump !== null) from?.add(bareName(jump[1]));
    const reference = /# ([0-9a-f]+) </.exec(line);
    if (reference !== null) for (const name of pointed(BigInt(`0x${reference[1]}`))) from?.add(name);
  }
  return { exported, local, calls };

  /** A function whose address is taken may be called from there; of a table of functions, any of them. */
  function pointed(address, viaSlot = true) {
    const itself = functionAt.get(address);
    if (itself !== undefined) return [itself];
    const target = slots.get(address);
    if (viaSlot && target !== undefined) return pointed(target, false);
    const object = data.findLast(({ start }) => start <= address);
    if (object === undefined || address >= object.start + object.size) return [];
    object.names ??= [...slots].flatMap(([slot, to]) => {
      const name = slot >= object.start && slot < object.start + object.size ? functionAt.get(to) : undefined;
      return name === undefined ? [] : [name];
    });
    return object.names;
  }
}

/** Places in the data that the loader fills with an address, and that address: of a function, or of a table of them. */
function pointersIn(library) {
  const slots = new Map();
  for (const line of lines('readelf', ['-rW', library])) {
    const relative = /^([0-9a-f]+) .* R_X86_64_RELATIVE +([0-9a-f]+)/.exec(line);
    const named = /^([0-9a-f]+) .* R_X86_64_(?:GLOB_DAT|64|JUMP_SLOT?) +([0-9a-f]+) \S+/.exec(line);
    const [, slot, target] = relative ?? named ?? [];
    if (target !== undefined) slots.set(BigInt(`0x${slot}`), BigInt(`0x${target}`));
  }
  return slots;
}
