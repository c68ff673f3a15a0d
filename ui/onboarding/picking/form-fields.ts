/** The text of a field, without spaces around it; undefined when it is empty. */
export function textIn(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The number in a field; undefined when it is empty. */
export function numberIn(form: FormData, name: string): number | undefined {
  const text = textIn(form, name);
  return text === undefined ? undefined : Number(text);
}
