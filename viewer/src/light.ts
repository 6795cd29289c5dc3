// Where the light comes from, and what it does not reach.

import { AmbientLight, DirectionalLight, Vector3, type Box3, type Scene, type WebGLRenderer } from 'three';

/** From the left of who looks first, so that shadows fall where they are seen; and a weak one from behind. */
export const SUN = new Vector3(-0.45, -0.55, 0.85).normalize();
export const BACK = new Vector3(0.6, 0.5, 0.1).normalize();

/** Texels of the picture that the sun sees, along a side. */
const TEXELS = 2048;

export class Light {
  private readonly sun = new DirectionalLight(0xffffff, 2.1);

  constructor(scene: Scene, private readonly renderer: WebGLRenderer, shadows: boolean) {
    const back = new DirectionalLight(0xffffff, 0.5);
    this.sun.position.copy(SUN);
    back.position.copy(BACK);
    scene.add(new AmbientLight(0xffffff, 1.25), this.sun, this.sun.target, back);
    renderer.shadowMap.enabled = shadows;
    // They are as the frame is, from wherever it is seen.
    renderer.shadowMap.autoUpdate = false;
    this.sun.shadow.mapSize.set(TEXELS, TEXELS);
    this.sun.shadow.intensity = 0.6;
  }

  get shades(): boolean { return this.renderer.shadowMap.enabled; }

  /** Shadows of the frame, around what is looked at so that they are as sharp as they can be. */
  shade(box: Box3, on: boolean): void {
    const { sun } = this;
    const [centre, reach] = [box.getCenter(new Vector3()), 0.5 * box.getSize(new Vector3()).length()];
    sun.castShadow = this.shades && on && reach > 0 && Number.isFinite(reach);
    if (!sun.castShadow) return;
    sun.target.position.copy(centre);
    sun.position.copy(centre).addScaledVector(SUN, 4 * reach);
    const { camera } = sun.shadow;
    [camera.left, camera.right, camera.bottom, camera.top, camera.near, camera.far] = [-reach, reach, -reach, reach, reach, 8 * reach];
    camera.updateProjectionMatrix();
    sun.shadow.normalBias = (3 * reach) / TEXELS;
    this.renderer.shadowMap.needsUpdate = true;
  }
}
