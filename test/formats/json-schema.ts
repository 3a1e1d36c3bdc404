/** As much of JSON Schema (draft 7) as the schema of speedscope uses. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const KNOWN = new Set(
  '$ref $schema anyOf type const enum properties required items definitions title description'.split(' '),
);

/** Every place where the value is not what the schema asks for, and every property that it does not name. */
export function schemaFaults(schema: Schema, value: unknown, whole = schema, at = '$'): string[] {
  const unknown = Object.keys(schema).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new Error(`the schema uses ${unknown.join(', ')}, which is not checked here`);
  if (schema.$ref !== undefined) {
    const name = decodeURIComponent(schema.$ref.replace('#/definitions/', ''));
    const found = whole.definitions?.[name];
    if (found === undefined) throw new Error(`the schema has no ${schema.$ref}`);
    return schemaFaults(found, value, whole, at);
  }
  const faults: string[] = [];
  if (schema.anyOf !== undefined) {
    const each = schema.anyOf.map((one) => schemaFaults(one, value, whole, at));
    if (each.every((some) => some.length > 0)) faults.push(each.flat().join(' / '));
  }
  if (schema.type !== undefined && !isOf(schema.type, value)) return [`${at} is no ${schema.type}`];
  if ('const' in schema && value !== schema.const) faults.push(`${at} is not ${String(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value)) faults.push(`${at} is none of the enum`);
  if (schema.items !== undefined && Array.isArray(value)) {
    const { items } = schema;
    faults.push(...value.flatMap((item, index) => schemaFaults(items, item, whole, `${at}[${index}]`)));
  }
  if (schema.properties !== undefined && typeof value === 'object' && value !== null) {
    const fields = new Map<string, unknown>(Object.entries(value));
    for (const name of schema.required ?? []) if (!fields.has(name)) faults.push(`${at} has no ${name}`);
    for (const [name, field] of fields) {
      const own = schema.properties[name];
      if (own === undefined) faults.push(`${at} has a ${name}`);
      else faults.push(...schemaFaults(own, field, whole, `${at}.${name}`));
    }
  }
  return faults;
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
