import { statSync } from 'node:fs';
import type { MapRegion } from '../proc/maps.js';
import { withElf, type Elf } from './elf.js';

const PAGE = 4096n;

/** A file that a process has loaded, with its regions in the order of their addresses. */
export interface MappedFile {
  readonly pid: number;
  /** As the process sees it. */
  readonly path: string;
  readonly regions: readonly MapRegion[];
}

/** Loaded files whose path satisfies `wanted`, each once. */
export function mappedFiles(
  pid: number,
  maps: readonly MapRegion[],
  wanted: (path: string) => boolean,
): MappedFile[] {
  const byPath = new Map<string, MapRegion[]>();
  for (const region of maps) {
    if (region.path === undefined || !wanted(region.path)) continue;
    const regions = byPath.get(region.path) ?? [];
    regions.push(region);
    byPath.set(region.path, regions);
  }
  return [...byPath].map(([path, regions]) => ({ pid, path, regions }));
}

/**
 * Opens the very file that is mapped: through the process's own root, or, where it was replaced or deleted since, through
 * `map_files` or `exe`, which keep the old content reachable.
 */
export function withMappedElf<T>(file: MappedFile, proc: string, use: (elf: Elf) => T): T | undefined {
  const first = file.regions[0];
  if (first === undefined) return undefined;
  const folder = `${proc}/${file.pid}`;
  const live = `${folder}/root${file.path}`;
  const range = `${first.start.toString(16)}-${first.end.toString(16)}`;
  const kept = [`${folder}/map_files/${range}`, `${folder}/exe`].filter(
    (path) => inodeOf(path) === first.inode,
  );
  // Overlay file systems may report another inode in maps than stat does: then only "(deleted)" tells a replaced file.
  const paths = inodeOf(live) === first.inode ? [live] : first.deleted ? kept : [...kept, live];
  for (const path of paths) {
    const result = withElf(path, use);
    if (result !== undefined) return result;
  }
  return undefined;
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino;
  } catch {
    return undefined;
  }
}

/** What to add to an address of the file to get the address in the process. */
export function loadBias(elf: Elf, regions: readonly MapRegion[]): bigint | undefined {
  if (elf.placement === 'fixed') return 0n;
  for (const region of regions) {
    const segment = elf.segments.find(
      (part) => part.offset >= region.offset && part.offset < region.offset + PAGE,
    );
    if (segment !== undefined) return region.start + (segment.offset - region.offset) - segment.address;
  }
  return undefined;
}
