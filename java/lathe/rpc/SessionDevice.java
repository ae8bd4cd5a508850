package dev.lathe.rpc;

import dev.lathe.Device;

/** A device of a session, which it keeps open. */
final class SessionDevice extends Device {
  private final Object session;

  SessionDevice(Device device, Object session) {
    super(device.kind(), device.id());
    this.session = session;
  }
}
