const hues =
  '4269d0 efb118 ff725c 3ca951 a463f2 6cc5b0 ff8ab7 9c6b4e 97bbf5 c2429b 8fbc2e 00929f d1495b 7a74d8 c98b2b 4fa37e e39bd0 b5651d 5b9bd5 b8a63a a05195 f28e6b 2f9e44 8c8cff'.split(
    ' ',
  );
const other = '98a2b3';

/** CSS color of a category by its number; beyond the palette all are alike. */
export const cssColor = (category) => `#${hues[category] ?? other}`;

/** `#rrggbb` as a pixel of a little-endian RGBA buffer. */
export const pixel = (css) => {
  const rgb = Number.parseInt(css.trim().slice(1), 16);
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
};

/** Pixels of all 256 category numbers. */
export const palette = Uint32Array.from({ length: 256 }, (_, category) => pixel(cssColor(category)));
