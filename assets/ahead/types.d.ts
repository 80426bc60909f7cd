// What travels to assets/ahead, as components/figures/wire.py `ahead_bytes` sends it.

declare namespace Foresight {
  interface Slider { code: string; label: string; at: number }
  interface Head {
    sliders: Slider[];
    /** The code of the slider whose next stops are sent; far: many of them. */
    touched: string;
    far: boolean;
    /** By the key of the picture: the looks of the present one, and by the slider's value where the next begins and ends. */
    pictures: Record<string, { look: number; scenes: Record<string, [from: number, to: number]> }>;
  }
}
