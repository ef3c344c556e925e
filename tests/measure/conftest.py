"""Results as the tools write them: recorded outputs, and texts made after their documented formats."""

from __future__ import annotations

import json

import pytest

from tierplan import load
from tierplan.plan import make_plan


@pytest.fixture(scope="session")
def plan():
    return make_plan(load.read_stack("stacks/Pulumi.demo.yaml"), load.catalogue())


ELBENCHO = (
    '{"phase_type":"SYNC","label":"checkpoint-write","config":{"hosts":"1"},"last_done":{"elapsed_time_ms":"3"}}\n'
    '{"phase_type":"WRITE","phase_id":"x","label":"checkpoint-write","iso_start_date":"2026-11-29T14:22:37.840+0000",'
    '"config":{"path_type":"dir","paths":"1","hosts":"128","threads":"4","file_size":"67108864","direct_io":"true",'
    '"version":"3.1-10"},"first_done":{"elapsed_time_ms":"127","bytes\\/s":"2004218679"},"last_done":'
    '{"elapsed_time_ms":"178","entries\\/s":"29","iops":"479","bytes\\/s":"752000000","entries":"4",'
    '"bytes":"134217728"}}\n'
    '{"phase_type":"SYNC","label":"checkpoint-write","config":{"hosts":"128"},"last_done":{"elapsed_time_ms":"43"}}\n'
    '{"phase_type":"READ","label":"restore-read","config":{"hosts":"128","direct_io":"true","version":"3.1-10"},'
    '"last_done":{"elapsed_time_ms":"100","bytes\\/s":"5","bytes":"1000000000","entries":"4","entries\\/s":"40"}}\n'
)
"""The run of the documentation: 134,217,728 B in 178 + 43 ms are 607 MB/s, not the 752 MB/s of the write alone."""

ELBENCHO_CSV = (
    "ISO date,label,path type,paths,hosts,threads,dirs,files,file size,block size,direct IO,random,random aligned,"
    "IO depth,shared paths,truncate,operation,time ms [first],time ms [last],entries/s [first],entries/s [last],"
    "IOPS [first],IOPS [last],MiB/s [first],MiB/s [last],CPU% [first],CPU% [last],entries [first],entries [last],"
    "MiB [first],MiB [last],version,command\n"
    "2026-11-29T14:22:37.840+0000,checkpoint-write,dir,1,1,4,1,1,67108864,4194304,1,0,,1,,0,WRITE,127,133,7,29,477,"
    '479,1911,1918,62,62,1,4,244,256,3.1-10,"elbencho" "-w" "-d"\n'
)

FIO = {
    "fio version": "fio-3.33",
    "timestamp": 1780000000,
    "time": "Sun Nov 29 2026",
    "global options": {"ioengine": "libaio", "direct": "1"},
    "jobs": [
        {
            "jobname": "local-write",
            "error": 0,
            "job options": {"rw": "write", "numjobs": "8", "end_fsync": "1"},
            "write": {"io_bytes": 134217728, "bw_bytes": 2917776695, "bw": 2849391, "iops": 2782.6, "runtime": 46},
            "read": {"io_bytes": 0, "bw_bytes": 0},
        },
        {
            "jobname": "local-read",
            "error": 5,
            "job options": {"rw": "read"},
            "read": {"io_bytes": 1000, "bw_bytes": 1000, "bw": 1, "runtime": 1000},
        },
    ],
}

IOR = {
    "Version": "4.1.0+dev",
    "Began": "2026-11-20",
    "Command line": "ior -a POSIX -w -e -F --posix.odirect -o /mnt/fs/checkpoint-write/f",
    "tests": [],
    "summary": [
        {
            "operation": "write",
            "numTasks": 1024,
            "tasksPerNode": 8,
            "bwMaxMIB": 2250.0,
            "bwMinMIB": 2150.3565,
            "bwMeanMIB": 2200.0,
            "xsizeMiB": 128.0,
            "MeanTime": 0.0595,
        }
    ],
}

MDTEST = """mdtest-4.1.0+dev was launched with 8 total task(s) on 2 node(s)
SUMMARY rate (in ops/sec): (of 2 iterations)
   Operation                     Max            Min           Mean        Std Dev
   ---------                     ---            ---           ----        -------
   File creation              180167.698     170085.320     175126.509       7129.317
   File stat                 1298546.130    1282661.774    1290603.952      11231.936
   File read                  675411.272     675411.272     675411.272          0.000
   File removal               341277.787     331303.633     336290.710       7052.791
   Tree creation               28532.680      17260.510      22896.595       7970.628
"""

JUICEFS = """Benchmark finished!
BlockSize: 1.0 MiB, BigFileSize: 64 MiB, SmallFileSize: 128 KiB, SmallFileCount: 20, NumThreads: 2
Time used: 0.4 s, CPU: 119.0%, Memory: 188.0 MiB
+------------------+-----------------+--------------+
|       ITEM       |      VALUE      |     COST     |
+------------------+-----------------+--------------+
|   Write big file |   \x1b[32m1008.91 MiB/s\x1b[0m |  0.13 s/file |
|    Read big file |    936.24 MiB/s |  0.14 s/file |
| Write small file |   419.5 files/s | 4.77 ms/file |
|  Read small file |  2128.8 files/s | 0.94 ms/file |
|        Stat file |  8109.4 files/s | 0.25 ms/file |
+------------------+-----------------+--------------+
"""

OBJBENCH = """Benchmark finished! block-size: 4.0 MiB, big-object-size: 64 MiB, small-objects: 100, NumThreads: 4
+--------------------+---------------------+----------------------+
|        ITEM        |        VALUE        |         COST         |
+--------------------+---------------------+----------------------+
|     upload objects |       2403.59 MiB/s |       6.66 ms/object |
|   download objects |      13831.69 MiB/s |       1.16 ms/object |
|  put small objects |  17914.01 objects/s |       0.22 ms/object |
|       list objects | 290404.57 objects/s | 1.60 ms/ 116 objects |
+--------------------+---------------------+----------------------+
"""

MLPERF = {
    "start": "2026-01-01T00:00:00.000000",
    "num_accelerators": 16,
    "num_hosts": 2,
    "host_memory_GB": [1007.0, 1007.0],
    "data_size_per_host_GB": 5120.0,
    "potential_caching": [0, 0],
    "metric": {
        "train_au_mean_percentage": 95.2,
        "train_au_meet_expectation": "success",
        "train_io_mean_MB_per_second": 46151.0,
        "save_checkpoint_io_mean_GB_per_second": float("nan"),
    },
}


@pytest.fixture
def results(tmp_path):
    """A folder with one file of each tool."""
    texts = {
        "elbencho.json": ELBENCHO,
        "elbencho.csv": ELBENCHO_CSV,
        "fio.json": "fio: a warning before the text\n" + json.dumps(FIO),
        "ior.json": json.dumps(IOR),
        "mdtest.txt": MDTEST,
        "juicefs.txt": JUICEFS,
        "objbench.txt": OBJBENCH,
        "summary.json": json.dumps(MLPERF),
        "notes.txt": "nothing of a tool",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path
