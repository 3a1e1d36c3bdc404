// Made by scripts/cpython-layouts.mjs from the headers of each version, on x86-64. Not edited by hand.
import type { ObjectLayout } from './object-layout.js';

export const OBJECT_LAYOUTS: Readonly<Record<string, ObjectLayout>> = {
  '3.8': {
    interpreter: {
      modules: 56,
    },
    module: {
      dict: 16,
    },
    type: {
      basicSize: 32,
      flags: 168,
      dictOffset: 288,
      base: 256,
      sharedKeys: 872,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      size: 8,
      count: 32,
      indices: 40,
    },
    instance: {
      firstValue: 0,
    },
    integer: {
      size: 16,
      digits: 24,
    },
    generator: {
      frame: 16,
    },
  },
  '3.9': {
    interpreter: {
      modules: 856,
    },
    module: {
      dict: 16,
    },
    type: {
      basicSize: 32,
      flags: 168,
      dictOffset: 288,
      base: 256,
      sharedKeys: 864,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      size: 8,
      count: 32,
      indices: 40,
    },
    instance: {
      firstValue: 0,
    },
    integer: {
      size: 16,
      digits: 24,
    },
    generator: {
      frame: 16,
    },
  },
  '3.10': {
    interpreter: {
      modules: 856,
    },
    module: {
      dict: 16,
    },
    type: {
      basicSize: 32,
      flags: 168,
      dictOffset: 288,
      base: 256,
      sharedKeys: 872,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      size: 8,
      count: 32,
      indices: 40,
    },
    instance: {
      firstValue: 0,
    },
    integer: {
      size: 16,
      digits: 24,
    },
    generator: {
      frame: 16,
    },
  },
  '3.11': {
    interpreter: {
      modules: 888,
    },
    module: {
      dict: 16,
    },
    type: {
      basicSize: 32,
      flags: 168,
      dictOffset: 288,
      base: 256,
      sharedKeys: 872,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      logIndexBytes: 9,
      kind: 10,
      count: 24,
      indices: 32,
    },
    instance: {
      dictBefore: 24,
      valuesBefore: 32,
      firstValue: 0,
    },
    integer: {
      size: 16,
      digits: 24,
    },
    generator: {
      ownFrame: 80,
    },
  },
  '3.12': {
    interpreter: {
      modules: 944,
    },
    module: {
      dict: 16,
    },
    type: {
      basicSize: 32,
      flags: 168,
      dictOffset: 288,
      base: 256,
      sharedKeys: 880,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      logIndexBytes: 9,
      kind: 10,
      count: 24,
      indices: 32,
    },
    instance: {
      dictBefore: 24,
      firstValue: 0,
    },
    integer: {
      tag: 16,
      digits: 24,
    },
    generator: {
      ownFrame: 72,
    },
  },
  '3.13': {
    interpreter: {
      modules: 7656,
    },
    module: {
      dict: 16,
    },
    type: {
      basicSize: 32,
      flags: 168,
      dictOffset: 288,
      base: 256,
      sharedKeys: 880,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      logIndexBytes: 9,
      kind: 10,
      count: 24,
      indices: 32,
    },
    instance: {
      dictBefore: 24,
      valid: 3,
      firstValue: 8,
    },
    integer: {
      tag: 16,
      digits: 24,
    },
    generator: {
      ownFrame: 72,
    },
  },
};
