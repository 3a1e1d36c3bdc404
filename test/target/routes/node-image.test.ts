import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extract } from 'tar-stream';
import { readLinkage } from '../../../src/target/elf/linkage.js';
import { nodeFiles, nodeImage } from '../../../src/target/routes/node-image.js';
import { itWhere } from '../../only-where.js';
import { scratch } from '../scratch.js';

/** What the dynamic loader itself says that it takes: `libm.so.6`, and its own path. */
function byLoader(): readonly string[] | undefined {
  try {
    const said = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
    return [...said.matchAll(/^\s*(\S+)(?= => \/| \(0x)/gm)].map(([, name = '']) => name);
  } catch {
    return undefined;
  }
}

describe('the image of a Node', () => {
  const told = byLoader();
  itWhere(told !== undefined, 'no ldd, or a static Node')(
    'holds what its loader asks for, and no more',
    () => {
      const libraries = (told ?? []).filter((name) => !/^linux-(?:vdso|gate)/.test(name));
      const interpreter = readLinkage(process.execPath)?.interpreter ?? '';
      const names = nodeFiles().map(({ name }) => `/${name}`);
      expect(names[0]).toBe('/sim-profiler/node');
      expect(names[1]).toBe(interpreter);
      const soname = readLinkage(interpreter)?.soname;
      expect(new Set(names.slice(2))).toEqual(
        new Set(
          [...libraries.filter((name) => !name.startsWith('/')), soname].map(
            (name) => `/sim-profiler/lib/${name}`,
          ),
        ),
      );
    },
  );

  it('is named after its content, and has every file whole', async () => {
    const script = join(scratch(), 'script.mjs');
    writeFileSync(script, 'export {};\n');
    const first = await nodeImage(script);
    expect(first.reference).toMatch(/^sim-profiler\/node:\d+\.\d+\.\d+-[0-9a-f]{12}$/);
    expect((await nodeImage(script)).reference).toBe(first.reference);
    const sizes = new Map<string, number | undefined>();
    let text = '';
    for await (const entry of (await first.archive()).pipe(extract())) {
      sizes.set(entry.header.name, entry.header.size);
      for await (const chunk of entry) if (entry.header.name.endsWith('.mjs')) text += String(chunk);
    }
    expect(text).toBe('export {};\n');
    expect([...sizes.keys()]).toEqual([...nodeFiles().map(({ name }) => name), 'sim-profiler/main.mjs']);
    expect(sizes.get('sim-profiler/node')).toBe(readFileSync('/proc/self/exe').length);

    writeFileSync(script, 'export {}\n');
    expect((await nodeImage(script)).reference).not.toBe(first.reference);
    await expect(nodeImage('/nowhere.mjs')).rejects.toThrow('ENOENT');
  });

  it('is none of what is no program', () => {
    expect(readLinkage(join(scratch(), 'nothing'))).toBeUndefined();
    expect(readLinkage('/etc/passwd')).toBeUndefined();
  });
});
