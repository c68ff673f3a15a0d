import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Attributes, rowOf } from './attributes.ts';
import { isList, type Row, type Value } from './table.ts';

/** An item as DynamoDB's API and its streams carry it. */
export type Item = Record<string, AttributeValue>;

/** Attributes as an item: numbers as N, bytes as B, undefined members left out. */
export const marshal = (attributes: Attributes): Item =>
  Object.fromEntries(Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, marshalValue(value)]])));

/** The attributes that {@link marshal} made this item from. Throws on sets, which we never store. */
export const unmarshal = (item: Item): Attributes =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, unmarshalValue(value)]));

/** The row in an item or a stream image. */
export const unmarshalRow = (item: Item): Row => rowOf(unmarshal(item));

function marshalValue(value: Value): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'string') return { S: value };
  if (value instanceof Uint8Array) return { B: value };
  if (isList(value)) return { L: value.map(marshalValue) };
  return { M: marshal(value) };
}

function unmarshalValue(value: AttributeValue): Value {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.NULL !== undefined) return null;
  if (value.B !== undefined) return bytesOf(value.B);
  if (value.L !== undefined) return value.L.map(unmarshalValue);
  if (value.M !== undefined) return unmarshal(value.M);
  throw new Error(`an attribute of type ${Object.keys(value).join()} is not one of a row`);
}

/** A stream record in a Lambda event has its bytes in base64, because JSON cannot carry bytes. */
const bytesOf = (bytes: Uint8Array | string): Uint8Array =>
  typeof bytes === 'string' ? new Uint8Array(Buffer.from(bytes, 'base64')) : bytes;
