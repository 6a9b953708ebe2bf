/** A round dot: where its pixels lie around the center and how much each covers (of 256). */
const dotOf = (radius, opacity) => {
  const reach = Math.ceil(radius);
  const dot = [];
  for (let dy = -reach; dy <= reach; dy += 1)
    for (let dx = -reach; dx <= reach; dx += 1) {
      const cover = Math.round(256 * opacity * Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy))));
      if (cover > 0) dot.push([dx, dy, cover]);
    }
  return { reach, dot };
};

/** The pixel that a point lies in, by its row; -1 where it is out of sight. */
const pixelsOf = ({ x, y, view: { x: centerX, y: centerY, scale } }, width, height) => {
  const left = width / 2 - centerX * scale;
  const top = height / 2 + centerY * scale;
  return (row) => {
    const px = x[row] * scale + left;
    const py = top - y[row] * scale;
    return px >= 0 && py >= 0 && px < width && py < height ? (py | 0) * width + (px | 0) : -1;
  };
};

/**
 * Paints points into a pixel buffer of its own: 200,000 of them take a few milliseconds, with no graphics card.
 * `paint` draws those points for which `shown` has the value `only`.
 */
export const createRaster = (width, height) => {
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  return {
    image,
    clear: (background) => pixels.fill(background),
    paint({ x, y, view, radius, opacity, colorOf, shown, only }) {
      const { reach, dot } = dotOf(radius, opacity);
      const size = dot.length;
      const offsets = Int32Array.from(dot, ([dx, dy]) => dy * width + dx);
      const covers = Int32Array.from(dot, ([, , cover]) => cover);
      const { scale } = view;
      const left = width / 2 - view.x * scale;
      const top = height / 2 + view.y * scale;
      const right = width - reach - 1;
      const bottom = height - reach - 1;
      for (let row = 0; row < x.length; row += 1) {
        if (shown[row] !== only) continue;
        const px = (x[row] * scale + left) | 0;
        const py = (top - y[row] * scale) | 0;
        if (px < reach || py < reach || px > right || py > bottom) continue;
        const color = colorOf(row);
        const at = py * width + px;
        const redBlue = color & 0xff00ff;
        const green = (color >> 8) & 0xff;
        for (let part = 0; part < size; part += 1) {
          const cover = covers[part];
          const place = at + offsets[part];
          if (cover === 256) {
            pixels[place] = color;
            continue;
          }
          const under = pixels[place];
          const rest = 256 - cover;
          pixels[place] =
            0xff000000 |
            (((Math.imul(under & 0xff00ff, rest) + Math.imul(redBlue, cover)) >>> 8) & 0xff00ff) |
            ((((under >> 8) & 0xff) * rest + green * cover) & 0xff00);
        }
      }
    },
    /** How many of these points are in sight. */
    inSight(points) {
      const pixelOf = pixelsOf(points, width, height);
      const { shown, only } = points;
      let count = 0;
      for (let row = 0; row < points.x.length; row += 1) if (shown[row] === only && pixelOf(row) >= 0) count += 1;
      return count;
    },
    /**
     * Shades each pixel by the logarithm of the points in it, in the mean of their colors: a crowd as dots would be one solid patch.
     */
    shade(points) {
      const pixelOf = pixelsOf(points, width, height);
      const { colorOf, shown, only } = points;
      const counts = new Uint32Array(width * height);
      const sums = new Float32Array(width * height * 3);
      let most = 0;
      for (let row = 0; row < points.x.length; row += 1) {
        const at = shown[row] === only ? pixelOf(row) : -1;
        if (at < 0) continue;
        const color = colorOf(row);
        sums[at * 3] += color & 0xff;
        sums[at * 3 + 1] += (color >> 8) & 0xff;
        sums[at * 3 + 2] += (color >> 16) & 0xff;
        counts[at] += 1;
        if (counts[at] > most) most = counts[at];
      }
      for (let at = 0; at < counts.length; at += 1) {
        const count = counts[at];
        if (count === 0) continue;
        const cover = 0.2 + (0.8 * Math.log1p(count)) / Math.log1p(most);
        let mixed = 0xff000000;
        for (let part = 0; part < 3; part += 1) {
          const under = (pixels[at] >> (8 * part)) & 0xff;
          mixed |= Math.round(under + (sums[at * 3 + part] / count - under) * Math.min(1, cover)) << (8 * part);
        }
        pixels[at] = mixed >>> 0;
      }
    },
  };
};
