// Made by scripts/cpython-layouts from the headers of each version, on x86-64. Not edited by hand.
import type { Layout } from './layout.js';

export const LAYOUTS: Readonly<Record<string, Layout>> = {
  '3.8': {
    runtime: {
      size: 1464,
      interpretersHead: 32,
      interpretersMain: 40,
      gil: 1152,
    },
    interpreter: {
      next: 0,
      threadsHead: 8,
    },
    gil: {
      size: 208,
      holder: 8,
      locked: 16,
    },
    thread: {
      next: 8,
      interpreter: 16,
      pthread: 176,
      frame: 24,
    },
    frame: {
      previous: 24,
      code: 32,
      lastInstruction: 104,
      locals: 360,
      executing: 116,
    },
    code: {
      size: 176,
      file: 104,
      name: 112,
      firstLine: 40,
      lineTable: 120,
      instructionsObject: 48,
    },
    object: {
      type: 8,
      length: 16,
      typeName: 24,
    },
    bytes: {
      data: 32,
    },
    text: {
      length: 16,
      hash: 24,
      state: 32,
      ascii: 48,
      compact: 72,
    },
  },
  '3.9': {
    runtime: {
      size: 656,
      interpretersHead: 32,
      interpretersMain: 40,
      gil: 352,
    },
    interpreter: {
      next: 0,
      threadsHead: 8,
    },
    gil: {
      size: 208,
      holder: 8,
      locked: 16,
    },
    thread: {
      next: 8,
      interpreter: 16,
      pthread: 176,
      frame: 24,
    },
    frame: {
      previous: 24,
      code: 32,
      lastInstruction: 104,
      locals: 360,
      executing: 116,
    },
    code: {
      size: 176,
      file: 104,
      name: 112,
      firstLine: 40,
      lineTable: 120,
      instructionsObject: 48,
    },
    object: {
      type: 8,
      length: 16,
      typeName: 24,
    },
    bytes: {
      data: 32,
    },
    text: {
      length: 16,
      hash: 24,
      state: 32,
      ascii: 48,
      compact: 72,
    },
  },
  '3.10': {
    runtime: {
      size: 672,
      interpretersHead: 32,
      interpretersMain: 40,
      gil: 352,
    },
    interpreter: {
      next: 0,
      threadsHead: 8,
    },
    gil: {
      size: 208,
      holder: 8,
      locked: 16,
    },
    thread: {
      next: 8,
      interpreter: 16,
      pthread: 176,
      frame: 24,
    },
    frame: {
      previous: 24,
      code: 32,
      lastInstruction: 96,
      locals: 352,
      state: 108,
    },
    code: {
      size: 176,
      file: 104,
      name: 112,
      firstLine: 40,
      lineTable: 120,
      instructionsObject: 48,
    },
    object: {
      type: 8,
      length: 16,
      typeName: 24,
    },
    bytes: {
      data: 32,
    },
    text: {
      length: 16,
      hash: 24,
      state: 32,
      ascii: 48,
      compact: 72,
    },
  },
  '3.11': {
    runtime: {
      size: 166688,
      interpretersHead: 40,
      interpretersMain: 48,
      gil: 360,
    },
    interpreter: {
      next: 0,
      threadsHead: 16,
    },
    gil: {
      size: 208,
      holder: 8,
      locked: 16,
    },
    thread: {
      next: 8,
      interpreter: 16,
      pthread: 152,
      cframe: 56,
      nativeId: 160,
      chunk: 296,
      chunkTop: 304,
    },
    frame: {
      previous: 48,
      code: 32,
      instruction: 56,
      owner: 69,
      locals: 72,
    },
    cframe: {
      frame: 8,
    },
    chunk: {
      previous: 0,
      size: 8,
      top: 16,
      data: 24,
    },
    code: {
      size: 192,
      file: 112,
      name: 120,
      firstLine: 72,
      lineTable: 136,
      qualifiedName: 128,
      instructions: 184,
    },
    object: {
      type: 8,
      length: 16,
      typeName: 24,
    },
    bytes: {
      data: 32,
    },
    text: {
      length: 16,
      hash: 24,
      state: 32,
      ascii: 48,
      compact: 72,
    },
  },
  '3.12': {
    runtime: {
      size: 459944,
      interpretersHead: 40,
      interpretersMain: 48,
    },
    interpreter: {
      next: 0,
      threadsHead: 72,
      gilPointer: 384,
    },
    gil: {
      size: 208,
      holder: 8,
      locked: 16,
    },
    thread: {
      next: 8,
      interpreter: 16,
      pthread: 136,
      cframe: 56,
      nativeId: 144,
      chunk: 232,
      chunkTop: 240,
    },
    frame: {
      previous: 8,
      code: 0,
      instruction: 56,
      owner: 70,
      locals: 72,
    },
    cframe: {
      frame: 0,
    },
    chunk: {
      previous: 0,
      size: 8,
      top: 16,
      data: 24,
    },
    code: {
      size: 200,
      file: 112,
      name: 120,
      firstLine: 68,
      lineTable: 136,
      qualifiedName: 128,
      instructions: 192,
    },
    object: {
      type: 8,
      length: 16,
      typeName: 24,
    },
    bytes: {
      data: 32,
    },
    text: {
      length: 16,
      hash: 24,
      state: 32,
      ascii: 40,
      compact: 56,
    },
  },
};
