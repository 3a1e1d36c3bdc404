import { type Frame, frameText } from '../model/index.js';
import type { HotBy, HotRow } from './answer.js';

/** What a frame counts for in one grouping: equal keys are one row. */
export interface Place {
  readonly key: string;
  readonly row: Pick<HotRow, 'name' | 'file' | 'line' | 'module' | 'corrupt' | 'bucket' | 'kind' | 'label'>;
}

/** The package folder of a Python file, the file itself where there is none; the library of a native frame. */
function moduleOf(frame: Frame): string {
  if (frame.module !== undefined) return frame.module;
  if (frame.file === undefined) return '(unknown)';
  const parts = frame.file.split('/').filter((part) => part !== '');
  return parts.length > 1 ? (parts[0] ?? frame.file) : frame.file;
}

function whereOf(frame: Frame): Pick<HotRow, 'file' | 'module'> {
  return {
    ...(frame.file === undefined ? {} : { file: frame.file }),
    ...(frame.module === undefined ? {} : { module: frame.module }),
  };
}

function corruptOf({ corrupt }: Frame): Pick<HotRow, 'corrupt'> {
  return corrupt === true ? { corrupt } : {};
}

/** The row that a frame belongs to when rows are functions, lines, files or modules. */
export function placeOf(frame: Frame, by: HotBy): Place {
  switch (by) {
    case 'function':
      return {
        key: `${frame.name}\n${frame.file ?? ''}\n${frame.module ?? ''}`,
        row: { name: frame.name, ...whereOf(frame), ...corruptOf(frame) },
      };
    case 'file': {
      const name = frame.file ?? frame.module ?? '(no file)';
      return { key: name, row: { name, ...whereOf(frame) } };
    }
    case 'module': {
      const name = moduleOf(frame);
      return { key: name, row: { name, module: name } };
    }
    default:
      return {
        key: frameText(frame),
        row: {
          name: frame.name,
          ...whereOf(frame),
          ...(frame.line === undefined ? {} : { line: frame.line }),
          ...corruptOf(frame),
        },
      };
  }
}
