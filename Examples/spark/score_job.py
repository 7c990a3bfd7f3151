"""Scores JSON Lines on a Spark cluster and writes Parquet.

    spark-submit score_job.py --rapport /opt/rapport/rapport 'hdfs:///chats/part-*.jsonl' hdfs:///scores

Every partition goes through one `rapport score - --inline-errors`: a line in, a line out, in order,
and a line that cannot be scored becomes {"id", "error"}. A partition that comes back with another
number of lines fails the job. The columns are the members of record.schema.json, which lies beside
this file. A line without an id of its own is named after its place in the
partition ("standard input:7").
"""

import argparse
import json
import shlex
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.types import (
    ArrayType, BooleanType, DoubleType, IntegerType, LongType, MapType, StringType, StructField,
    StructType,
)

RECORD = json.loads(Path(__file__).with_name("record.schema.json").read_text())
PLAIN = {
    "string": StringType(), "number": DoubleType(), "integer": IntegerType(), "boolean": BooleanType(),
}


def column_type(schema):
    """The type that Spark has for what a JSON Schema describes."""
    if "$ref" in schema:
        return column_type(RECORD["$defs"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return column_type(schema["anyOf"][0])
    if schema["type"] == "array":
        return ArrayType(column_type(schema["items"]))
    if schema["type"] != "object":
        return PLAIN[schema["type"]]
    if "properties" in schema:
        return StructType([
            StructField(name, column_type(member)) for name, member in schema["properties"].items()
            if member.get("$comment") != "not a column"])
    return MapType(StringType(), column_type(schema["additionalProperties"]))


COLUMNS = column_type(RECORD)

# `partition` and `row` say where a record stands in the input.
SCHEMA = StructType([
    StructField("partition", IntegerType(), False), StructField("row", LongType(), False),
    *COLUMNS.fields,
    # The record as it came.
    StructField("record", StringType(), False),
])


def lines_of(spark, path):
    """Lines as `rapport` sees them: ended by a line feed and by nothing else."""
    # Hadoop would also end a line at a lone carriage return.
    records = spark.sparkContext.newAPIHadoopFile(
        path, "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
        "org.apache.hadoop.io.LongWritable", "org.apache.hadoop.io.Text",
        conf={"textinputformat.record.delimiter": "\n"})
    return records.values()


def count_lines(index, lines):
    yield index, sum(1 for _ in lines)


def check_lines(expected):
    """Passes lines on, and fails where there are not as many as went in."""
    def check(index, lines):
        count = 0
        for line in lines:
            count += 1
            yield index, count - 1, line
        if count != expected[index]:
            raise RuntimeError(
                f"partition {index}: {expected[index]} lines went in, {count} came out")
    return check


def column_value(value, kind):
    """A member as its column holds it; nothing where it's of another kind, as "unsure" is."""
    if isinstance(kind, StructType) and isinstance(value, dict):
        return tuple(column_value(value.get(field.name), field.dataType) for field in kind.fields)
    if isinstance(kind, MapType) and isinstance(value, dict):
        return {name: column_value(member, kind.valueType) for name, member in value.items()}
    if isinstance(kind, ArrayType) and isinstance(value, list):
        return [column_value(item, kind.elementType) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        plain = {bool: BooleanType, str: StringType}.get(type(value))
        return value if plain and isinstance(kind, plain) else None
    return float(value) if isinstance(kind, DoubleType) else value


def to_row(item):
    partition, row, line = item
    return (partition, row, *column_value(json.loads(line), COLUMNS), line)


def main():
    parser = argparse.ArgumentParser(description="Score JSON Lines on a Spark cluster.")
    parser.add_argument("input", help="part files, as Hadoop spells paths")
    parser.add_argument("output", help="a folder for Parquet, which must not be there yet")
    parser.add_argument(
        "--rapport", default="rapport", help="the program's path on every worker, and options")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("rapport-score").getOrCreate()
    lines = lines_of(spark, options.input)
    expected = dict(lines.mapPartitionsWithIndex(count_lines).collect())

    # 65 says that lines could not be scored. Each of them has its record, so that is no failure.
    command = f"{options.rapport} score - --format jsonl --inline-errors -j 1"
    guarded = f"{command} || [ $? -eq 65 ]"
    scored = lines.pipe(f"sh -c {shlex.quote(guarded)}", checkCode=True)
    rows = scored.mapPartitionsWithIndex(check_lines(expected)).map(to_row)
    spark.createDataFrame(rows, SCHEMA, verifySchema=False).write.parquet(options.output)

    written = spark.read.parquet(options.output)
    total, failed = written.count(), written.where("error is not null").count()
    if total != sum(expected.values()):
        sys.exit(f"{sum(expected.values())} lines went in, {total} rows are in {options.output}")
    print(f"{total} rows, {failed} of them errors, in {len(expected)} partitions")
    spark.stop()


if __name__ == "__main__":
    main()
