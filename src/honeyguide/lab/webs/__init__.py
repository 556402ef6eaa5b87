"""The kinds of virtual webs: WARC files, a folder of pages, the demo web, and several of them as one."""
