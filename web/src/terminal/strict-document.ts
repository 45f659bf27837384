/**
 * The page's document for xterm, which writes `<style>` elements and `style` attributes that the policy of
 * the dashboard refuses: its styles become a sheet made by the page itself, its attributes declarations.
 */
export interface StrictDocument {
  document: Document;
  /** While xterm opens: its scrollbar takes the page's own document, whatever it is given. */
  during(work: () => void): void;
  dispose(): void;
}

export function strictDocument(): StrictDocument {
  const sheets: CSSStyleSheet[] = [];
  const dispose = (): void => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
  const create = (tag: string): HTMLElement => {
    if (tag !== 'style') return withDeclarations(plainElement(tag));
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return Object.defineProperty(plainElement('span'), 'textContent', {
      set: (text: string) => sheet.replaceSync(text),
    });
  };
  const proxy = new Proxy(document, {
    get(target, key) {
      if (key === 'createElement') return create;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
  const during = (work: () => void): void => {
    Object.defineProperty(document, 'createElement', { value: create, configurable: true });
    try {
      work();
    } finally {
      Reflect.deleteProperty(document, 'createElement');
    }
  };
  return { document: proxy, during, dispose };
}

const plainElement = (tag: string): HTMLElement => Document.prototype.createElement.call(document, tag);

function withDeclarations(element: HTMLElement): HTMLElement {
  const plain = element.setAttribute.bind(element);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else plain(name, value);
  };
  return element;
}
