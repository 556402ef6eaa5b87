// Runs in every page before its own scripts: nothing may stop it, open windows, go past the proxy, or ask without end.
// What pages may request is decided elsewhere; here it only saves the time to say no a thousand times.
(() => {
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) {
    window[name] = () => null;
  }
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
    delete window[name];
  }
  let left = 100;
  const fetchNow = window.fetch;
  window.fetch = (...what) =>
    left-- > 0
      ? fetchNow(...what)
      : new Promise((_, fail) => setTimeout(() => fail(new TypeError("Failed to fetch")), 100));
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...what) {
    if (left-- > 0) {
      send.apply(this, what);
    } else {
      setTimeout(() => this.dispatchEvent(new ProgressEvent("error")), 100);
    }
  };
})();
