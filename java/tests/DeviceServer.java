import dev.lathe.rpc.Server;

/** A device behind a proxy, in a virtual machine: DeviceServer HOST PORT KEY; ends with its input. */
final class DeviceServer {
  private DeviceServer() {}

  public static void main(String[] args) throws Exception {
    try (Server server = new Server(args[0], Integer.parseInt(args[1]), args[2])) {
      server.start();
      System.out.println("dialling");
      while (System.in.read() >= 0) { }
    }
  }
}
