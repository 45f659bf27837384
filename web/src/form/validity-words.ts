/** What a browser finds wrong in a field, in the words of the page. */

export interface Checked {
  validity: Readonly<
    Pick<
      ValidityState,
      'valueMissing' | 'typeMismatch' | 'badInput' | 'rangeUnderflow' | 'rangeOverflow' | 'stepMismatch'
    >
  >;
  type: string;
  min?: string;
  max?: string;
}

const forms: Readonly<Record<string, string>> = {
  email: 'must be an email address, such as ada@example.com',
  url: 'must be an address, such as https://example.com',
  number: 'must be a number',
};

export function validityWords(label: string, { validity, type, min = '', max = '' }: Checked): string {
  if (validity.valueMissing) return `${label} is required.`;
  if (validity.rangeUnderflow) return `${label} must be at least ${min}.`;
  if (validity.rangeOverflow) return `${label} must be at most ${max}.`;
  if (validity.stepMismatch) return `${label} must be a whole number.`;
  return `${label} ${forms[type] ?? 'is not valid'}.`;
}
