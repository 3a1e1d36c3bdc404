/** What names mean that nsys shows: ranges that simulators set, and calls of CUDA. */

/** Of the default domain of NVTX, newer versions show `:step` for what older ones show as `step`. */
export function rangeName(name: string): string {
  return name.replace(/^:/, '');
}

/** Tables of the SQLite export name the version of a call: `cudaGraphLaunch_v10000`. */
export function callName(name: string): string {
  return name.replace(/_v\d{4,}$/, '');
}

export function isLaunch(call: string): boolean {
  return /^cu(?:da)?(?:Launch(?:Cooperative)?Kernel|GraphLaunch)/.test(call);
}

export function isGraphLaunch(call: string): boolean {
  return /^cu(?:da)?GraphLaunch/.test(call);
}

/** The host does nothing in it but wait until the GPU is done. */
export function isWait(call: string): boolean {
  return /^cu(?:da)?(?:Device|Stream|Event|Ctx|Thread)Synchronize/.test(call);
}

/** Work of the start: code is loaded, or compiled while it is loaded, and graphs are made ready. */
export function isPreparation(call: string): boolean {
  return /^cu(?:da)?(?:Module|Library|Link)(?:Load|Create|Complete|Add)|^cu(?:da)?GraphInstantiate/.test(
    call,
  );
}

/** Below this a kernel takes hardly longer than it takes to launch one. */
export const SHORT_KERNEL_US = 10;
