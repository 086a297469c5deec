"""What a process that a script starts imports as kernel_tuner (multiprocessing gives it the folders of sys.path): hone's, too."""

from hone.kernel_tuner.__main__ import put_in_place

put_in_place()
