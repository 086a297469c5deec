"""Reports to look at: a tune of a kernel in C with every kind of failure a spec can bring about, recorded spaces of any
size, and texts that a page must not obey."""
import json
import os
import shutil
import sqlite3
import subprocess

HOSTILE = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">'\"&\u202e\u0007"

KERNEL = """
#if MODE == 3
#error this one is refused
#endif
void scale(float *y, const float *in, float a, int n)
{
    for (int r = 0; r < MODE; r++)
        for (int i = 0; i < n / STEP * STEP; i += STEP)
            for (int k = 0; k < STEP; k++)
                y[i + k] = a * in[i + k] + (MODE == 4);
}
"""
SPEC = {
    "General": {"BenchmarkName": "scale"},
    "Constants": {"N": 20000},
    "ConfigurationSpace": {"TuningParameters": [
        {"Name": "STEP", "Type": "int", "Values": "[1, 2, 4, 8]", "Default": 1},
        {"Name": "MODE", "Type": "int", "Values": "[1, 2, 3, 4]", "Default": 1}]},
    "Metrics": [{"Name": "GB/s", "Expression": "8 * N / time_ns"}],
    "KernelSpecification": {
        "KernelName": "scale", "KernelFile": "scale.c", "GlobalSize": {"X": 1},
        "Arguments": [
            {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "N",
             "Expect": "a * in[i]"},
            {"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": "N", "FillType": "Random"},
            {"Name": "a", "Type": "float", "MemoryType": "Scalar", "FillValue": 2},
            {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillExpression": "N"}]}}


class Fixtures:
    def __init__(self, hone, scratch):
        self.hone, self.scratch = os.path.abspath(hone), os.path.abspath(scratch)
        os.makedirs(self.scratch, exist_ok=True)
        self.environment = dict(os.environ, XDG_DATA_HOME=self.path("data"), XDG_CACHE_HOME=self.path("cache"),
                                HONE_LOCKS=self.scratch)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def run(self, *arguments, status=0, errors=False):
        done = subprocess.run([self.hone, *arguments], cwd=self.scratch, env=self.environment, capture_output=True)
        if done.returncode != status:
            raise AssertionError("hone %s: status %d, not %d\n%s" % (
                " ".join(arguments), done.returncode, status, done.stderr.decode(errors="replace")))
        return (done.stderr if errors else done.stdout).decode()

    def report(self, name, *arguments, status=0):
        self.run("report", *arguments, "-o", self.path(name), status=status)
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def tune(self):
        """Tunes scale.json into tuned.sqlite; the lines of --json."""
        with open(self.path("scale.c"), "w") as f:
            f.write(KERNEL)
        with open(self.path("scale.json"), "w") as f:
            json.dump(SPEC, f)
        store = self.path("tuned.sqlite")
        if os.path.exists(store):
            os.remove(store)
        out = self.run("tune", "scale.json", "--store", store, "--json")
        return [json.loads(line) for line in out.splitlines()]

    def variants(self):
        """tuned.sqlite as if it were another device's, and as if its kernel were in another language."""
        for name, change in (("devices.sqlite", "UPDATE session SET device = 'Another device', device_identity = randomblob(32)"),
                             ("languages.sqlite", "UPDATE job SET language = 'OpenCL'")):
            shutil.copy(self.path("tuned.sqlite"), self.path(name))
            with sqlite3.connect(self.path(name)) as store:
                store.execute(change)
            store.close()

    def recorded(self, name, count, message="CompilationFailedConfig", extra=""):
        """A T4 file with `count` results of four parameters, every 50th a failure."""
        values = [8, 10, 10, max(1, -(-count // 800))]
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write('{"schema_version":"1.0.0","results":[')
            for i in range(count):
                index, choice = i, {}
                for k, size in enumerate(values):
                    choice["parameter_%d%s" % (k, extra if k == 0 else "")] = index % size
                    index //= size
                a, b, c, d = choice.values()
                time = 1 + abs(a - 3) * 0.4 + b * 0.01 + (c - 4) ** 2 * 0.02 + (i * 7919 % 97) * 0.0001 + d * 1e-5
                row = {"configuration": choice, "objectives": ["time"],
                       "times": {"compilation_time": 0, "runtimes": [time]}, "invalidity": "correct",
                       "measurements": [{"name": "time", "value": time, "unit": "milliseconds"}]}
                if i % 50 == 49:
                    row["invalidity"] = "compile"
                    row["message"] = message
                    row["measurements"] = []
                f.write(("," if i else "") + json.dumps(row))
            f.write("]}")
        return self.path(name)
