"""Programs: `python -m lathe.exec.rpc_server`."""
