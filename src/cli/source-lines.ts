import type { Profile } from '../model/index.js';
import { type Pooled, type SourceListing, compareText, stackFrames } from '../report/index.js';
import type { Recording, SourceFile } from '../recording/index.js';

interface Heat {
  self: number;
  total: number;
}

/** Samples by file and line; a sample counts once per line, however often its stack passes there. */
function heatByLine(profile: Profile, pooled: readonly Pooled[]): Map<string, Map<number, Heat>> {
  const files = new Map<string, Map<number, Heat>>();
  for (const entry of pooled) {
    const seen = new Set<Heat>();
    const frames = stackFrames(profile, entry.stack);
    for (const [depth, frame] of frames.entries()) {
      if (frame.file === undefined || frame.line === undefined) continue;
      const lines = files.get(frame.file) ?? new Map<number, Heat>();
      files.set(frame.file, lines);
      const heat = lines.get(frame.line) ?? { self: 0, total: 0 };
      lines.set(frame.line, heat);
      if (depth === frames.length - 1) heat.self += entry.weight;
      if (!seen.has(heat)) heat.total += entry.weight;
      seen.add(heat);
    }
  }
  return files;
}

/** Hot lines in their code, from the text that the recording kept; the `most` hottest files, hottest first. */
export function sourceListings(
  profile: Profile,
  recording: Recording | undefined,
  pooled: readonly Pooled[],
  most: number,
): SourceListing[] {
  if (recording === undefined) return [];
  const known = new Map<string, SourceFile>(
    Object.entries(recording.sources).flatMap(([path, file]) => [
      [path, file],
      [file.short, file],
    ]),
  );
  return [...heatByLine(profile, pooled)]
    .map(([file, lines]) => ({
      file,
      lines,
      self: [...lines.values()].reduce((sum, heat) => sum + heat.self, 0),
    }))
    .sort((a, b) => b.self - a.self || compareText(a.file, b.file))
    .flatMap(({ file, lines }) => {
      const text = known.get(file)?.lines;
      return text === undefined ? [] : [{ file, lines: shownLines(text, lines) }];
    })
    .filter(({ lines }) => lines.some((line) => line.total > 0))
    .slice(0, most);
}

function shownLines(
  text: Readonly<Record<string, string>>,
  heat: ReadonlyMap<number, Heat>,
): SourceListing['lines'] {
  return Object.entries(text)
    .map(([line, content]) => ({
      line: Number(line),
      text: content,
      ...(heat.get(Number(line)) ?? { self: 0, total: 0 }),
    }))
    .sort((a, b) => a.line - b.line);
}
