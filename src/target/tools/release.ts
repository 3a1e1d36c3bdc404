import { ProfilerError } from '../../model/index.js';

/** The wheel that is installed, by what `process.arch` calls the machine. */
export interface Wheel {
  /** Tag that pip is asked for. The binary inside is static, so it runs on musl systems as well. */
  readonly platform: string;
  readonly sha256: string;
}

export const PYSPY_VERSION = '0.4.3';

/** Checksums of the files as published; another file under the same name is refused. */
const WHEELS: Readonly<Record<string, Wheel>> = {
  x64: {
    platform: 'manylinux2014_x86_64',
    sha256: '8a4277225f470d394a85cca0cdd944bef87f0097b6f20150a6dd3ac2e92806b8',
  },
  arm64: {
    platform: 'manylinux2014_aarch64',
    sha256: 'bbcec46930d464b3bfc142d6d02ade4dd8ad5627823263b3eff0280e80c7c132',
  },
};

/** Checksums of the programs inside. */
const BINARIES: Readonly<Record<string, string>> = {
  x64: 'a41205d4925beafd108e1ace85e66c0a1a7adbfcbebcd4441f07848b608886c0',
  arm64: 'ad6e22882e8dcaced4f0a76fef10d372645cc7b94c48a289ebe1bedb754774ed',
};

/** Checksum of the published program for a machine; undefined where none is known. */
export function binaryChecksum(arch: string): string | undefined {
  return Object.hasOwn(BINARIES, arch) ? BINARIES[arch] : undefined;
}

export function wheelFor(arch: string): Wheel {
  const wheel = Object.hasOwn(WHEELS, arch) ? WHEELS[arch] : undefined;
  if (wheel === undefined) {
    throw new ProfilerError({
      id: 'tool-no-wheel',
      what: `There is no pinned py-spy ${PYSPY_VERSION} for ${arch} machines.`,
      why: `Checksums are known for ${Object.keys(WHEELS).join(' and ')} only.`,
      fix: `pip install py-spy==${PYSPY_VERSION}  (then name it: profiler attach --py-spy PATH)`,
    });
  }
  return wheel;
}
