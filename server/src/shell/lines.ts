/** Takes the bytes a program prints apart into lines. */

/** Characters of a line that are kept; the rest of a longer one is dropped. */
export const maxLine = 64 * 1024;

export interface LineSplitter {
  push(bytes: Uint8Array): void;
  /** Gives the last line when it had no line break. */
  end(): void;
}

/**
 * Lines end at LF or CR LF. A lone CR overwrites the line, as a terminal does, so that a progress display
 * becomes its last state. Bytes that are no UTF-8 and NUL become U+FFFD, since not every store takes them.
 */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  let held = '';
  let cut = false;

  const add = (piece: string) => {
    const text = held + piece;
    // A CR at the very end may be half of a CR LF.
    let end = text.length;
    while (end > 0 && text[end - 1] === '\r') end -= 1;
    const overwritten = end === 0 ? -1 : text.lastIndexOf('\r', end - 1);
    if (overwritten !== -1) cut = false;
    held = text.slice(overwritten + 1);
    if (held.length <= maxLine + 1) return;
    held = held.slice(0, maxLine);
    cut = true;
  };

  const emit = () => {
    const line = held.replace(/\r+$/, '').replaceAll('\0', '\uFFFD').toWellFormed();
    const wasCut = cut || line.length > maxLine;
    held = '';
    cut = false;
    onLine(wasCut ? `${line.slice(0, maxLine)} … (the rest of this line was dropped)` : line);
  };

  const split = (text: string) => {
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      add(text.slice(at, end));
      emit();
      at = end + 1;
    }
    add(text.slice(at));
  };

  return {
    push: (bytes) => split(decoder.decode(bytes, { stream: true })),
    end: () => {
      split(decoder.decode());
      if (held !== '') emit();
    },
  };
}
