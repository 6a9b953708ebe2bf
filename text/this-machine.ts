/** Host names of this machine. */
export const onThisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
