// From where a run is seen.

import { MOUSE, OrthographicCamera, PerspectiveCamera, Quaternion, Spherical, TOUCH, Vector3, type Box3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

/** Where the eye begins in space, and the air that is left around what it looks at. */
const [START, AIR] = [new Vector3(0.55, -0.78, 0.36).normalize(), 1.1];

/** Spherical coordinates are about y, and up is z. */
const UPRIGHT = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(0, 1, 0));

export class Eye {
  readonly camera: PerspectiveCamera | OrthographicCamera;
  readonly controls: OrbitControls;

  constructor(private readonly canvas: HTMLCanvasElement, plane: boolean) {
    this.camera = plane ? new OrthographicCamera() : new PerspectiveCamera(35, 1, 0.01, 1000);
    if (!plane) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    if (plane) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
  }

  /** Looks at a box, of a run of some size; the first time from where it is seen best. */
  fit(box: Box3, size: number, first: boolean): void {
    const { camera, controls } = this;
    const centre = box.getCenter(new Vector3());
    if (camera instanceof OrthographicCamera) {
      const s = box.getSize(new Vector3());
      const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
      const half = 0.5 * AIR * Math.max(s.y, s.x / aspect, 1e-9);
      [camera.top, camera.bottom, camera.left, camera.right] = [half, -half, -half * aspect, half * aspect];
      [camera.near, camera.far, camera.zoom] = [-1e3 * size, 1e3 * size, 1];
      camera.position.set(centre.x, centre.y, 10 * size);
      controls.target.set(centre.x, centre.y, 0);
    } else {
      const from = first ? START.clone() : camera.position.clone().sub(controls.target).normalize();
      camera.position.copy(centre).addScaledVector(from, AIR * away(box, from, camera));
      [camera.near, camera.far] = [size / 500, 200 * size];
      controls.target.copy(centre);
    }
    camera.updateProjectionMatrix();
    controls.update();
  }

  /** Looks at the same place along an axis, from its far end. */
  lookFrom(from: [number, number, number]): void {
    const { camera, controls } = this;
    const far = camera.position.distanceTo(controls.target);
    // From straight above "up" would mean nothing: a little less than straight.
    const way = new Vector3(...from).addScaledVector(new Vector3(0, -1, 0), from[2] ? 1e-4 : 0).normalize();
    camera.position.copy(controls.target).addScaledVector(way, far);
    controls.update();
  }

  /** Goes around what is looked at, not over its top [rad]. */
  turn(across: number, up: number): void {
    const { camera, controls } = this;
    const from = new Spherical().setFromVector3(camera.position.clone().sub(controls.target).applyQuaternion(UPRIGHT));
    from.theta += across;
    from.phi = Math.min(Math.max(from.phi - up, 1e-3), Math.PI - 1e-3);
    camera.position.setFromSpherical(from).applyQuaternion(UPRIGHT.clone().invert()).add(controls.target);
    controls.update();
  }

  zoom(by: number): void {
    const { camera, controls } = this;
    if (camera instanceof OrthographicCamera) camera.zoom *= by;
    else camera.position.sub(controls.target).divideScalar(by).add(controls.target);
    camera.updateProjectionMatrix();
    controls.update();
  }

  move(by: Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
  }

  /** Length of a pixel at a place. */
  pixel(at: Vector3): number {
    const { camera } = this;
    const across = camera instanceof OrthographicCamera ? (camera.top - camera.bottom) / camera.zoom
      : 2 * Math.tan((camera.fov * Math.PI) / 360) * camera.position.distanceTo(at);
    return across / Math.max(this.canvas.clientHeight, 1);
  }

  resize(width: number, height: number): void {
    const { camera } = this;
    if (camera instanceof OrthographicCamera) {
      const half = camera.top;
      [camera.left, camera.right] = [(-half * width) / height, (half * width) / height];
    } else camera.aspect = width / height;
    camera.updateProjectionMatrix();
  }
}

/** How far away from its centre, in a direction, the corners of a box just fit into the picture. */
function away(box: Box3, from: Vector3, camera: PerspectiveCamera): number {
  const centre = box.getCenter(new Vector3());
  const right = new Vector3().crossVectors(camera.up, from).normalize();
  const up = new Vector3().crossVectors(from, right);
  const tangent = Math.tan((camera.fov * Math.PI) / 360);
  let far = 1e-9;
  for (let k = 0; k < 8; k++) {
    const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
    const [x, y, z] = [Math.abs(corner.dot(right)), Math.abs(corner.dot(up)), corner.dot(from)];
    far = Math.max(far, z + y / tangent, z + x / (tangent * camera.aspect));
  }
  return far;
}
