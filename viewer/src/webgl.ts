// Whether there is anything to draw with.

export function hasWebGL(): boolean {
  try {
    return !!document.createElement('canvas').getContext('webgl2');
  } catch {
    return false;
  }
}

export const noWebGL: [string, string] = ['This browser has no WebGL 2',
  'The picture is drawn with it. Turn on hardware acceleration, or try another browser; “delassus draw RUN” makes pictures without one.'];
