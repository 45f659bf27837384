/** PEM text (RFC 7468): blocks between BEGIN and END, whatever stands between them. */

export interface PemBlock {
  /** Such as CERTIFICATE or PRIVATE KEY. */
  label: string;
  text: string;
}

const begin = '-----BEGIN ';
const dashes = '-----';

/**
 * The blocks in their order; undefined when one does not end. Costs time in proportion to the text's length.
 */
export function pemBlocks(text: string): PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  for (let from = text.indexOf(begin); from !== -1; ) {
    const labelEnd = text.indexOf(dashes, from + begin.length);
    const label = labelEnd === -1 ? '' : text.slice(from + begin.length, labelEnd);
    if (label === '' || label.length > 40 || /[^A-Z0-9 ]/.test(label)) return undefined;
    const ending = `-----END ${label}-----`;
    const to = text.indexOf(ending, labelEnd);
    const next = text.indexOf(begin, labelEnd);
    if (to === -1 || (next !== -1 && next < to)) return undefined;
    blocks.push({ label, text: text.slice(from, to + ending.length) });
    from = next;
  }
  return blocks;
}
