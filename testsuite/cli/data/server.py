# SPDX-License-Identifier: GPL-2.0-or-later
# A server of debug information that is no good: what the path begins with says how. Writes its port to the file named on the command line.
import http.server
import os
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def send(self, data, length):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def do_GET(self):
        how = self.path.split("/")[1]
        if how == "hang":
            time.sleep(600)
        elif how == "stall":
            self.send(b"\x7fELF" + bytes(5000), 100000000)
            time.sleep(600)
        elif how == "nonsense":
            self.send(b"<html>log in first</html>", 25)
        elif how == "useless":
            with open("/bin/true", "rb") as file:
                data = file.read()
            self.send(data, len(data))
        else:
            self.send_error(500)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
