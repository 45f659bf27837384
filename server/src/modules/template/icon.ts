/** Pictures of templates: SVG of a few plain shapes, which nothing but a picture can be made of. Pure. */
import { badField } from '../../domain/errors.ts';

const mostBytes = 8192;

const shapes = 'svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop';
const elements = new Set([...shapes.split(' '), 'title']);

/** Presentation and geometry; no style, class, href or event. */
const attributes = new Set(
  (
    'xmlns version viewBox width height x y x1 x2 y1 y2 cx cy r rx ry fx fy d points id transform ' +
    'offset opacity ' +
    'fill fill-opacity fill-rule clip-rule stroke stroke-width stroke-linecap stroke-linejoin ' +
    'stroke-opacity stroke-miterlimit stroke-dasharray stop-color stop-opacity gradientUnits ' +
    'gradientTransform spreadMethod role aria-label'
  ).split(' '),
);

const tag = /<(\/?)([A-Za-z]+)((?:\s+[A-Za-z0-9:-]+="[^"<>&]*")*)\s*(\/?)>/y;
const attribute = /([A-Za-z0-9:-]+)="([^"<>&]*)"/g;
const namespace = 'http://www.w3.org/2000/svg';

/** The picture as a data address; BAD_REQUEST for anything but plain shapes of at most 8 KiB. */
export function iconAddress(svg: string, field: string): string {
  const bytes = Buffer.byteLength(svg);
  if (bytes > mostBytes) throw badField(field, `has ${bytes} bytes; a picture may have ${mostBytes}`);
  const text = svg.trim();
  const open: string[] = [];
  let at = 0;
  while (at < text.length) {
    tag.lastIndex = at;
    const found = tag.exec(text);
    if (found === null) {
      const next = text.indexOf('<', at);
      const between = text.slice(at, next === -1 ? undefined : next);
      if (between === '' || between.includes('>') || (open.length === 0 && between.trim() !== ''))
        throw badField(field, `is not a plain SVG picture at ${JSON.stringify(text.slice(at, at + 40))}`);
      at += between.length;
      continue;
    }
    const [whole, closing, name = '', given = '', empty] = found;
    if (!elements.has(name)) throw badField(field, `contains <${name}>; a picture has ${shapes} and title`);
    if (at === 0 ? name !== 'svg' : open.length === 0) throw badField(field, 'must be one <svg> element');
    checkAttributes(given, field);
    if (closing === '/' && open.pop() !== name) throw badField(field, `closes <${name}>, which is not open`);
    if (closing === '' && empty === '') open.push(name);
    at += whole.length;
  }
  if (text === '' || open.length > 0) throw badField(field, 'must be one <svg> element that is closed');
  return `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;
}

function checkAttributes(given: string, field: string): void {
  for (const [, name = '', value = ''] of given.matchAll(attribute)) {
    if (!attributes.has(name))
      throw badField(field, `contains the attribute ${name}, which no picture needs`);
    if (name === 'xmlns' ? value !== namespace : /:|url\((?!#[\w-]+\))/i.test(value))
      throw badField(field, `contains ${name}="${value.slice(0, 40)}", which leads outside of the picture`);
  }
}
