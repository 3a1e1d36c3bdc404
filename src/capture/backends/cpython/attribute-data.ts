// Made by scripts/cpython-layouts.mjs from the headers of each version, on x86-64. Not edited by hand.
import type { AttributeLayout } from './attribute-layout.js';

export const ATTRIBUTE_LAYOUTS: Readonly<Record<string, AttributeLayout>> = {
  '3.8': {
    type: {
      flags: 168,
      dictOffset: 288,
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
    values: {
      first: 0,
    },
  },
  '3.9': {
    type: {
      flags: 168,
      dictOffset: 288,
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
    values: {
      first: 0,
    },
  },
  '3.10': {
    type: {
      flags: 168,
      dictOffset: 288,
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
    values: {
      first: 0,
    },
  },
  '3.11': {
    type: {
      flags: 168,
      dictOffset: 288,
      sharedKeys: 872,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      log2IndexBytes: 9,
      kind: 10,
      count: 24,
      indices: 32,
    },
    values: {
      first: 0,
    },
    managed: {
      dict: -24,
      values: -32,
    },
  },
  '3.12': {
    type: {
      flags: 168,
      dictOffset: 288,
      sharedKeys: 880,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      log2IndexBytes: 9,
      kind: 10,
      count: 24,
      indices: 32,
    },
    values: {
      first: 0,
    },
    managed: {
      dict: -24,
    },
  },
  '3.13': {
    type: {
      flags: 168,
      dictOffset: 288,
      sharedKeys: 880,
    },
    dict: {
      keys: 32,
      values: 40,
    },
    keys: {
      log2IndexBytes: 9,
      kind: 10,
      count: 24,
      indices: 32,
    },
    values: {
      valid: 3,
      first: 8,
    },
    managed: {
      dict: -24,
      inlineValues: 16,
    },
  },
};
