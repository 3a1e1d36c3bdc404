/**
 * The reports of `nsys stats` that are read, by all names that they had: `cuda_gpu_kern_sum` was `gpukernsum` before 2023, and in 2020
 * `CUDA Kernel Statistics:`. As listed in NVIDIA's Post-Collection Analysis Guide, and as printed by nsys 2020 to 2026.
 */
import type { TableKind } from './table.js';

export interface NsysReport {
  readonly kind: TableKind;
  readonly title: string;
  /** Its amounts are bytes, not times. */
  readonly isSize?: true;
}

const KERNELS: NsysReport = { kind: 'nsys-kernels', title: 'nsys: kernels on the GPU' };
const MEMORY: NsysReport = { kind: 'nsys-memory', title: 'nsys: memory operations on the GPU, by time' };
const SIZES: NsysReport = {
  kind: 'nsys-memory',
  title: 'nsys: memory operations on the GPU, by size',
  isSize: true,
};
const API: NsysReport = { kind: 'nsys-cuda-api', title: 'nsys: calls of CUDA on the host' };
const NVTX: NsysReport = { kind: 'nsys-nvtx', title: 'nsys: NVTX ranges' };
const OSRT: NsysReport = { kind: 'nsys-osrt', title: 'nsys: calls of the operating system' };

/** Without underscores, so that old and new names differ by less. */
const BY_NAME: Readonly<Record<string, NsysReport>> = {
  cudagpukernsum: KERNELS,
  cudagpukerngbsum: KERNELS,
  gpukernsum: KERNELS,
  gpukerngbsum: KERNELS,
  cudagpumemtimesum: MEMORY,
  gpumemtimesum: MEMORY,
  cudagpumemsizesum: SIZES,
  gpumemsizesum: SIZES,
  cudaapisum: API,
  nvtxsum: NVTX,
  nvtxpushpopsum: NVTX,
  pushpopsum: NVTX,
  nvtxstartendsum: NVTX,
  startendsum: NVTX,
  osrtsum: OSRT,
};

/** Titles of nsys 2020, which named no report. */
const BY_TITLE: readonly (readonly [RegExp, NsysReport])[] = [
  [/^CUDA Kernel Statistics/, KERNELS],
  [/^CUDA Memory Operation Statistics \(by size/, SIZES],
  [/^CUDA Memory Operation Statistics/, MEMORY],
  [/^CUDA API Statistics/, API],
  [/^NVTX .*Statistics/, NVTX],
  [/^(?:Operating System|OS) Runtime.*Statistics/, OSRT],
];

/** Lines above a table that say which it is: its title, the script that was run, the step of `--stats=true`. */
const NAMED: readonly RegExp[] = [
  /^\s*\*\* .+ \(([\w:]+)\):?(?: \*\*)?\s*$/,
  /Executing '([\w:]+)' stats report/,
  /^(?:Processing \[.*\] with|Exporting) \[[^\]]*?([\w:]+)\.py\b/,
];

/** The report that a line announces; `other` for one that is not read. Undefined for a line that announces none. */
export function announcedReport(line: string): NsysReport | 'other' | undefined {
  for (const pattern of NAMED) {
    const [, name] = pattern.exec(line) ?? [];
    // `cuda_gpu_kern_sum:base` is the report with an argument.
    if (name !== undefined) return BY_NAME[(name.split(':')[0] ?? '').replaceAll('_', '')] ?? 'other';
  }
  const title = line.trim();
  return BY_TITLE.find(([pattern]) => pattern.test(title))?.[1];
}

/** What a table without a title is, by its columns: of a file that `nsys stats --output` wrote. */
export function reportOfColumns(heads: readonly string[], names: readonly string[]): NsysReport | undefined {
  if (heads.includes('Range')) return NVTX;
  if (heads.includes('Operation'))
    return heads.some((head) => head.startsWith('Total Time')) ? MEMORY : SIZES;
  if (heads.includes('Instances')) return KERNELS;
  if (!heads.includes('Num Calls')) return undefined;
  return names.some((name) => /^cu(?:da)?[A-Z]/.test(name)) ? API : OSRT;
}
